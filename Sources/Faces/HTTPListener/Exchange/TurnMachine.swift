/// The side that must act next in an exchange, and whether its connection is in the library's loop.
///
/// The machine decides when to suspend and resume the connection. The two alternate: a suspension is always
/// decided in a call of the library, and a resumption only after a suspension. The library therefore does not
/// call while a resumption is pending.
struct TurnMachine {
    enum State: Hashable {
        /// The library reads the head.
        case readingHead
        /// The head was refused; the library sends the error response.
        case refused
        /// Nothing follows the head; the library's next call opens the request.
        case offered
        /// The responder is being called for its first response, in a call of the library.
        case opened
        /// The responder creates the response; the connection is suspended.
        case working
        /// The responder creates the response while the library receives the body.
        case receiving
        /// The response waits for the library's next call.
        case ready
        /// The library sends the response.
        case sending
        /// The library waits for more of the response; the connection is suspended.
        case starving
        /// The client has gone, or the listener stops; the library closes the connection in its next call.
        case left(isAnswered: Bool)
        /// The library has finished with the request.
        case ended(isComplete: Bool)
    }

    /// The change to make to the connection.
    enum Change: Hashable {
        case suspend
        case resume
    }

    /// The action to take in a call of the library.
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

    /// Whether the connection is suspended, so that the client waits for the listener.
    var isOurTurn: Bool { state == .working || state == .starving }

    /// Whether the library will call again and can still send.
    var isWanted: Bool {
        switch state {
        case .left, .ended: false
        default: true
        }
    }

    /// Whether a response exists that can still be sent.
    var isAnswered: Bool { state == .ready || state == .sending || state == .starving }

    // MARK: The library's side

    mutating func headCame(hasBody: Bool) {
        if state == .readingHead { state = hasBody ? .opened : .offered }
    }

    mutating func refuseHead() {
        if state == .readingHead { state = .refused }
    }

    /// Handles a call of the library without a piece of the body.
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

    /// Records that the first response is sent immediately.
    mutating func answerImmediately() {
        if state == .opened { state = .sending }
    }

    /// Pauses the library until ``resumeReceiving()``, ``resumeSending()``, ``answer()`` or ``leave()``.
    mutating func pause() -> Change? {
        switch state {
        case .opened, .receiving: state = .working
        case .sending: state = .starving
        default: return nil
        }
        return .suspend
    }

    /// Records that the library has finished with the request, and whether it has sent everything.
    mutating func end(isComplete: Bool) {
        switch state {
        case .sending, .starving, .left(isAnswered: true): state = .ended(isComplete: isComplete)
        default: state = .ended(isComplete: false)
        }
    }

    // MARK: Our side

    /// Resumes receiving, because the body has a reader or room again.
    mutating func resumeReceiving() -> Change? {
        guard state == .working else { return nil }
        state = .receiving
        return .resume
    }

    /// Resumes sending, because there is more of the stream to send, or its end.
    mutating func resumeSending() -> Change? {
        guard state == .starving else { return nil }
        state = .sending
        return .resume
    }

    /// Records that the responder has its response.
    ///
    /// Returns whether it is accepted.
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

    /// Records that nobody waits for the response any more.
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
