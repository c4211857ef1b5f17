import CalotypeFiles
import TaskFlow

/// The state that an exchange protects with its lock: three state machines, the task and the waiters.
///
/// Three sides drive it. The library requests the response, delivers the body and takes bytes to send. The
/// task of the request reads the body and provides the response. The watch reports that the client has gone.
/// Methods decide, and the caller performs the returned actions after it has released the lock.
struct ExchangeState {
    /// Resumes the task that waits for a piece of the body.
    typealias BodyReader = @Sendable (Result<[UInt8]?, any Error>) -> Void
    /// Resumes the task that waits for room in the stream.
    typealias Producer = @Sendable (Result<Void, any Error>) -> Void

    /// The step to take in a call of the library.
    enum Step: Sendable {
        case readHead
        /// Nothing follows the head: call the responder.
        case open(IncomingRequest)
        case proceed
        case wait
        case answer(Answer)
        case close
        /// The body exceeds its limit: respond with a 413, and close the connection.
        case refuseBody
    }

    /// The actions to perform after the lock has been released.
    struct Actions: Sendable {
        var connection: TurnMachine.Change?
        var cancelled: ScopedTask?
        var bodyReader: (BodyReader, Result<[UInt8]?, any Error>)?
        var producer: (Producer, Result<Void, any Error>)?
        var finished: FinishedExchange?
    }

    private enum Work {
        case none
        /// The task is `nil` before it is attached, after it was cancelled, and for a response without one.
        case running(ScopedTask?)
    }

    private var turn = TurnMachine()
    private var body = RequestBodyMachine(limit: nil)
    private var stream = ResponseStreamMachine()
    private var work = Work.none
    private var bodyReader: BodyReader?
    private var producer: Producer?
    /// The request, from its head until its end is reported.
    ///
    /// Its body holds the exchange.
    private var request: IncomingRequest?
    /// The response that waits for the library's next call.
    private var answer: Answer?
    /// The status of the response that the library has.
    private var status: Int?
    /// The number of bytes in a response whose length is known from the start.
    private var knownBytes: Int?
    private var note: (any Sendable)?

    /// Whether the client waits for the listener.
    var isOurTurn: Bool { turn.isOurTurn }
    var isWanted: Bool { turn.isWanted }
    /// Whether the client may still be sending bytes that nobody will read.
    var leavesBytesUnread: Bool { turn.state == .refused || body.arrival != .whole }
    /// Whether the response ends its connection.
    ///
    /// After a body nothing more is read, so nothing can hide there.
    var endsConnection: Bool { body.limit != nil }

    // MARK: The library's side

    /// Records a head that the library read.
    ///
    /// A request without a body is returned by the call that follows immediately, because the library ends
    /// the connection after a response to the first call.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - bodyLimit: Maximum size of its body; `nil` if it has none.
    mutating func headCame(_ request: IncomingRequest, bodyLimit: ByteCount?) {
        self.request = request
        body = RequestBodyMachine(limit: bodyLimit?.bytes)
        turn.headCame(hasBody: bodyLimit != nil)
    }

    mutating func refuseHead() {
        turn.refuseHead()
    }

    /// Prepares the start of the work.
    ///
    /// Returns `false` if nobody waits for it any more.
    mutating func begin() -> (Bool, Actions) {
        guard turn.isWanted else { return (false, Actions()) }
        work = .running(nil)
        return (true, Actions(connection: turn.pause()))
    }

    /// Handles a call of the library for the response, or because the body is complete.
    mutating func callForAnswer() -> (Step, Actions) {
        switch turn.call() {
        case .readHead: return (.readHead, Actions())
        case .open: return (request.map { .open($0) } ?? .close, Actions())
        case .proceed: return (.proceed, Actions())
        case .wait: return (.wait, Actions())
        case .close: return (.close, Actions())
        case .receive:
            if body.call() { return (.proceed, Actions()) }
            var actions = Actions(connection: turn.pause())
            feedReader(&actions)
            return (.wait, actions)
        case .answer:
            _ = body.call()
            guard let answer else { preconditionFailure("ready without an answer") }
            self.answer = nil
            sending(answer)
            return (.answer(answer), Actions())
        }
    }

    /// Handles a piece of the body.
    ///
    /// The step is `.proceed` if the piece was accepted.
    mutating func bodyCame(_ piece: UnsafeRawBufferPointer) -> (Step, Actions) {
        guard turn.isWanted else { return (.close, Actions()) }
        guard !turn.isOurTurn else { return (.wait, Actions()) }
        var actions = Actions()
        switch body.offer(piece.count) {
        case .keep:
            body.keep(unsafe Array(piece))
            feedReader(&actions)
            return (.proceed, actions)
        case .drop: return (.proceed, actions)
        case .wait:
            // A call that suspends must not accept anything: the library would call again immediately.
            actions.connection = turn.pause()
            return (.wait, actions)
        case .refuse:
            status = 413
            let message = "the body has more than \(body.limit ?? 0) bytes"
            leave(HTTPListenerError(.tooManyBytes, message), &actions)
            return (.refuseBody, actions)
        }
    }

    /// Provides at most `limit` bytes of the stream for the library.
    mutating func take(_ limit: Int) -> (StreamDelivery, Actions) {
        guard turn.isWanted else { return (.failed, Actions()) }
        guard !turn.isOurTurn else { return (.wait, Actions()) }
        switch stream.take(limit) {
        case .bytes(let bytes):
            var actions = Actions()
            feedProducer(&actions)
            return (.bytes(bytes), actions)
        case .nothing: return (.wait, Actions(connection: turn.pause()))
        case .end: return (.end, Actions())
        case .failed: return (.failed, Actions())
        }
    }

    /// Records that the library has taken a response other than a stream up to byte `count`.
    mutating func sent(upTo count: Int) {
        stream.sent(upTo: count)
    }

    /// Records that the library sends the first response.
    mutating func answerImmediately(_ answer: Answer) {
        turn.answerImmediately()
        body.fail(Self.clientGone)
        sending(answer)
    }

    /// Records that the library has finished with the request.
    mutating func libraryEnded(isComplete: Bool) -> Actions {
        var actions = Actions()
        turn.end(isComplete: isComplete && stream.state != .failed)
        if turn.state == .ended(isComplete: true) {
            if let knownBytes { stream.sent(upTo: knownBytes) }
        } else {
            cancelWork(&actions)
        }
        close(Self.clientGone, &actions)
        finishIfDone(&actions)
        return actions
    }

    // MARK: The watch's side

    /// Handles a closed connection: cancels the work for the client, unless a response is being sent.
    ///
    /// - Returns: Whether to wake the library, which waits for more of the body. It receives no report of a
    ///   connection's end that arrived together with bytes.
    mutating func clientLeft() -> (Bool, Actions) {
        if turn.isOurTurn { return (false, abandon()) }
        let awaitsBody: Bool =
            switch turn.state {
            case .opened, .receiving, .left(isAnswered: false): body.arrival != .whole
            default: false
            }
        return awaitsBody ? (true, abandon()) : (false, Actions())
    }

    /// Ends the exchange as soon as the library can.
    mutating func abandon() -> Actions {
        var actions = Actions()
        leave(Self.clientGone, &actions)
        return actions
    }

    // MARK: The task's side

    /// Attaches the running `task`.
    ///
    /// Returns the task for cancellation if the client has gone in the meantime.
    mutating func attach(_ task: ScopedTask) -> Actions {
        switch turn.state {
        case .left, .ended(isComplete: false): return Actions(cancelled: task)
        default: if case .running = work { work = .running(task) }
        }
        return Actions()
    }

    /// Provides the responder's response.
    ///
    /// Returns `false` if nobody waits for it.
    mutating func give(_ answer: Answer) -> (Bool, Actions) {
        note = answer.note
        let (isAccepted, change) = turn.answer()
        var actions = Actions(connection: change)
        guard isAccepted else { return (false, actions) }
        self.answer = answer
        // After the response nobody reads the body.
        body.fail(Self.clientGone)
        feedReader(&actions)
        return (true, actions)
    }

    /// Adds a piece to the stream.
    ///
    /// Returns whether there is room for another without ``waitForRoom(_:isCancelled:)``.
    mutating func write(_ piece: [UInt8]) -> (Result<Bool, CancellationError>, Actions) {
        let result = stream.write(piece)
        guard case .success = result, !piece.isEmpty else { return (result, Actions()) }
        return (result, Actions(connection: turn.resumeSending()))
    }

    /// Adds a piece if no other waits to be sent.
    ///
    /// Returns whether it did.
    mutating func writeIfIdle(_ piece: [UInt8]) -> (Bool, Actions) {
        guard stream.waitingBytes == 0 else { return (false, Actions()) }
        let (result, actions) = write(piece)
        if case .success = result { return (true, actions) }
        return (false, actions)
    }

    /// Waits for room in the stream; `producer` resumes when there is some.
    mutating func waitForRoom(_ producer: @escaping Producer, isCancelled: Bool) -> Actions {
        if isCancelled { return Actions(producer: (producer, .failure(CancellationError()))) }
        if let room = stream.room(hasWaited: false) {
            return Actions(producer: (producer, room.mapError { $0 }))
        }
        precondition(self.producer == nil, "two tasks write one body at a time")
        self.producer = producer
        return Actions()
    }

    mutating func stopWaiting() -> Actions {
        defer { producer = nil }
        return Actions(producer: producer.map { ($0, .failure(CancellationError())) })
    }

    mutating func streamEnded(isComplete: Bool) -> Actions {
        stream.end(isComplete: isComplete)
        return Actions(connection: turn.resumeSending())
    }

    mutating func workEnded() -> Actions {
        var actions = Actions()
        work = .none
        // Without a response there is nothing to wait for.
        if !turn.isAnswered { leave(Self.clientGone, &actions) }
        finishIfDone(&actions)
        return actions
    }

    /// Reads the body; `reader` resumes with the next piece.
    mutating func readBody(_ reader: @escaping BodyReader, isCancelled: Bool) -> Actions {
        // If the client sent too much, the reader gets that error instead, because it may want to respond to
        // it.
        if isCancelled, body.failure?.code != .tooManyBytes {
            return Actions(bodyReader: (reader, .failure(CancellationError())))
        }
        precondition(bodyReader == nil, "two tasks read one body at a time")
        bodyReader = reader
        var actions = Actions()
        feedReader(&actions)
        if body.wantsMore { actions.connection = turn.resumeReceiving() }
        return actions
    }

    mutating func stopReading() -> Actions {
        defer { bodyReader = nil }
        return Actions(bodyReader: bodyReader.map { ($0, .failure(CancellationError())) })
    }

    // MARK: Steps that several events share

    private mutating func sending(_ answer: Answer) {
        status = answer.status
        note = answer.note
        knownBytes = answer.knownBytes
        if case .stream(let length) = answer.content { stream.length = length }
    }

    /// Ends the exchange because nobody waits for the response any more.
    ///
    /// The body's reader receives `error`.
    private mutating func leave(_ error: HTTPListenerError, _ actions: inout Actions) {
        guard turn.isWanted else { return }
        actions.connection = turn.leave()
        cancelWork(&actions)
        close(error, &actions)
    }

    private mutating func cancelWork(_ actions: inout Actions) {
        guard case .running(let task?) = work else { return }
        actions.cancelled = task
        work = .running(nil)
    }

    private mutating func close(_ error: HTTPListenerError, _ actions: inout Actions) {
        body.fail(error)
        stream.close()
        feedReader(&actions)
        feedProducer(&actions)
    }

    private mutating func feedReader(_ actions: inout Actions) {
        guard let reader = bodyReader, let result = body.next() else { return }
        bodyReader = nil
        actions.bodyReader = (reader, result.mapError { $0 })
    }

    private mutating func feedProducer(_ actions: inout Actions) {
        guard let waiting = producer, let room = stream.room(hasWaited: true) else { return }
        producer = nil
        actions.producer = (waiting, room.mapError { $0 })
    }

    private mutating func finishIfDone(_ actions: inout Actions) {
        guard case .ended(let isComplete) = turn.state, case .none = work, let request else { return }
        self.request = nil
        actions.finished = FinishedExchange(
            request,
            status: status,
            sentBytes: stream.sentBytes,
            isComplete: isComplete,
            note: note
        )
    }

    private static var clientGone: HTTPListenerError {
        HTTPListenerError(.connectionReset, "the client disconnected")
    }
}

/// The part of a stream that the library receives.
package enum StreamDelivery: Sendable {
    case bytes(ArraySlice<UInt8>)
    /// No bytes are available; the connection was suspended.
    case wait
    case end
    /// The stream failed, or the client has gone.
    case failed
}
