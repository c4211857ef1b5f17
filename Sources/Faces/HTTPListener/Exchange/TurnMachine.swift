/// Whose turn it is in an exchange, and whether its connection is in the library's loop.
///
/// It decides when the connection is suspended and resumed: in turn, a suspension always in a call of the library, and
/// a resumption only after a suspension was decided. So while a resumption is on its way, the library does not call.
struct TurnMachine {
    enum State: Hashable {
        /// The library reads the head.
        case readingHead
        /// The head was refused; the library sends the refusal.
        case refused
        /// Nothing follows the head; the library's next call opens the request.
        case offered
        /// The responder is being asked for its first answer, in a call of the library.
        case opened
        /// The responder makes the answer; the connection is suspended.
        case working
        /// The responder makes the answer while the library receives the body.
        case receiving
        /// The answer waits for the library's next call.
        case ready
        /// The library sends the answer.
        case sending
        /// The library waits for more of the answer; the connection is suspended.
        case starving
        /// The client has gone, or the listener stops; the library closes the connection in its next call.
        case left(isAnswered: Bool)
        /// The library has finished with the request.
        case ended(isComplete: Bool)
    }

    /// What to do with the connection.
    enum Change: Hashable {
        case suspend
        case resume
    }

    /// What to do in a call of the library.
    enum Call: Hashable {
        case readHead
        case open
        case receive
        case answer
        case proceed
        case wait
        case close
    }

    private(set) var state = State.readingHead

    /// Whether the connection is suspended, so that the client waits for us.
    var isOurTurn: Bool { state == .working || state == .starving }

    /// Whether the library will call again and can still send.
    var isWanted: Bool {
        switch state {
        case .left, .ended: false
        default: true
        }
    }

    /// Whether an answer was given that can still be sent.
    var isAnswered: Bool { state == .ready || state == .sending || state == .starving }

    // MARK: The library's side

    mutating func headCame(hasBody: Bool) {
        if state == .readingHead { state = hasBody ? .opened : .offered }
    }

    mutating func refuseHead() {
        if state == .readingHead { state = .refused }
    }

    /// The library calls without a piece of the body.
    mutating func call() -> Call {
        switch state {
        case .readingHead: return .readHead
        case .offered:
            state = .opened
            return .open
        case .opened, .receiving: return .receive
        case .working, .starving: return .wait
        case .ready:
            state = .sending
            return .answer
        case .refused, .sending: return .proceed
        case .left, .ended: return .close
        }
    }

    /// The first answer is sent immediately.
    mutating func answerImmediately() {
        if state == .opened { state = .sending }
    }

    /// The library has nothing to do until ``resumeReceiving()``, ``resumeSending()``, ``answer()`` or ``leave()``.
    mutating func pause() -> Change? {
        switch state {
        case .opened, .receiving: state = .working
        case .sending: state = .starving
        default: return nil
        }
        return .suspend
    }

    /// The library has finished with the request; it has sent everything if `isComplete`.
    mutating func end(isComplete: Bool) {
        switch state {
        case .sending, .starving, .left(isAnswered: true): state = .ended(isComplete: isComplete)
        default: state = .ended(isComplete: false)
        }
    }

    // MARK: Our side

    /// The body has a reader, or room again.
    mutating func resumeReceiving() -> Change? {
        guard state == .working else { return nil }
        state = .receiving
        return .resume
    }

    /// There is more of the stream to send, or its end.
    mutating func resumeSending() -> Change? {
        guard state == .starving else { return nil }
        state = .sending
        return .resume
    }

    /// The responder has its answer; returns whether it is accepted.
    mutating func answer() -> (isAccepted: Bool, Change?) {
        switch state {
        case .working:
            state = .ready
            return (true, .resume)
        case .receiving:
            state = .ready
            return (true, nil)
        default: return (false, nil)
        }
    }

    /// Nobody waits for the answer any more.
    mutating func leave() -> Change? {
        switch state {
        case .working: state = .left(isAnswered: false)
        case .starving: state = .left(isAnswered: true)
        case .sending:
            state = .left(isAnswered: true)
            return nil
        case .left, .ended: return nil
        default:
            state = .left(isAnswered: false)
            return nil
        }
        return .resume
    }
}
