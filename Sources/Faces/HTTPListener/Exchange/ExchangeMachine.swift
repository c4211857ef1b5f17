import CalotypeCore
import TaskFlow

/// What has happened to a request and its answer, and what is to be done next.
///
/// Three sides drive it: the library, which asks for the answer and brings and takes bytes; the task of the request,
/// which reads the body and gives the answer; and the watch, which says that the client has gone. It is a value that
/// decides; ``Exchange`` keeps it behind a lock and acts.
package struct ExchangeMachine {
    typealias BodyReader = CheckedContinuation<[UInt8]?, any Error>
    typealias Producer = CheckedContinuation<Void, any Error>

    /// What the library is told when it calls for an answer.
    enum Step: Sendable {
        /// The head is to be read.
        case readHead
        /// Nothing follows the head: the request can be answered.
        case open(IncomingRequest)
        /// Go on reading.
        case proceed
        /// The connection was suspended.
        case wait
        /// Send this.
        case answer(Answer)
        /// Close the connection.
        case close
        /// More came than a body may have: say so, and close the connection.
        case refuseBody
    }

    /// What is taken from a stream by the library.
    package enum Delivery: Sendable {
        case bytes(ArraySlice<UInt8>)
        /// Nothing is there; the connection was suspended.
        case wait
        case end
        /// The stream failed, or the client has gone.
        case failed
    }

    /// What is to be done after the lock was given back.
    struct Actions: Sendable {
        var cancelled: ScopedTask?
        var bodyReader: (BodyReader, Result<[UInt8]?, any Error>)?
        var producer: (Producer, Result<Void, any Error>)?
        var finished: FinishedExchange?
    }

    /// The bytes of a body or a stream that wait at most before their giver waits.
    static let highWater = 128 << 10

    /// Suspends and resumes the connection.
    ///
    /// Called under the lock, because the library must see both in the order in
    /// which they were decided.
    let connection: any Suspending
    /// The most bytes that the body may have.
    private var bodyLimit = 0

    /// `nil` until the head was read.
    private var request: IncomingRequest?
    /// The head was read, and nothing follows it.
    private var isOffered = false
    private var isRefused = false
    private var hasBody = false
    private var isSuspended = false
    /// The client has gone, or the listener stops.
    private var isGone = false
    private var taskRuns = false
    private var task: ScopedTask?
    private var libraryHasEnded = false

    private var isBodyWanted = false
    private var bodyHasBegun = false
    private var bodyHasEnded = true
    private var bodyBytes = 0
    private var bodyPieces = FIFO<[UInt8]>()
    private var waitingBodyBytes = 0
    private var bodyReader: BodyReader?
    /// What is wrong with the body, where that is the client's fault.
    private var bodyFailure: CalotypeError?

    private var answer: Answer?
    private var isAnswered = false
    private var status: Int?
    /// The bytes of an answer that are known from the start.
    private var knownBytes: Int?

    private var pieces = FIFO<ArraySlice<UInt8>>()
    /// What is left of the piece that the library is taking.
    private var current: ArraySlice<UInt8> = []
    private var waitingBytes = 0
    private var streamLength: Int?
    private var streamHasEnded = false
    private var streamHasFailed = false
    private var producer: Producer?
    private(set) var sentBytes = 0
    private var isComplete = false
    private var note: (any Sendable)?

    init(_ connection: any Suspending) {
        self.connection = connection
    }

    /// Whether it waits for us, and not for the client.
    var isOurTurn: Bool { isSuspended }
    /// Whether somebody waits for an answer.
    var isWanted: Bool { !isGone && !libraryHasEnded }
    /// Whether the client may still be sending what nobody will read.
    var leavesBytesUnread: Bool { isRefused || !bodyHasEnded }
    /// Whether nothing may follow the answer on its connection: after a body nothing is read, so that nothing can hide.
    var endsConnection: Bool { hasBody }

    // MARK: The library's side

    /// The head was read; a request without a body is given back by the call that follows at once, because the library
    /// ends the connection after an answer to the first.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - bodyLimit: The most bytes that its body may have; `nil` where it has none.
    mutating func headCame(_ request: IncomingRequest, bodyLimit: ByteCount?) {
        self.request = request
        self.bodyLimit = bodyLimit?.bytes ?? 0
        hasBody = bodyLimit != nil
        bodyHasEnded = !hasBody
        isOffered = !hasBody
    }

    /// The head was refused.
    mutating func refuse() {
        isRefused = true
    }

    /// The task is about to start; false where that is too late.
    mutating func begin() -> Bool {
        guard !isGone else { return false }
        taskRuns = true
        suspend()
        return true
    }

    /// The library calls for the answer, or tells that the body is complete.
    mutating func callForAnswer() -> (Step, Actions) {
        var actions = Actions()
        if isGone { return (.close, actions) }
        if isSuspended { return (.wait, actions) }
        if isRefused { return (.proceed, actions) }
        guard let request else { return (.readHead, actions) }
        if isOffered {
            isOffered = false
            return (.open(request), actions)
        }
        if bodyHasBegun, !bodyHasEnded {
            bodyHasEnded = true
            feedReader(&actions)
        }
        if let answer {
            answered(answer)
            return (.answer(answer), actions)
        }
        if isBodyWanted, !bodyHasBegun {
            bodyHasBegun = true
            return (.proceed, actions)
        }
        suspend()
        return (.wait, actions)
    }

    /// A piece of the body came; the step is `.proceed` where it was taken.
    mutating func bodyCame(_ piece: UnsafeRawBufferPointer) -> (Step, Actions) {
        var actions = Actions()
        if isGone { return (.close, actions) }
        if isSuspended { return (.wait, actions) }
        guard bodyBytes + piece.count <= bodyLimit else {
            status = 413
            isGone = true
            let error = CalotypeError(
                .tooManyBytes,
                "the body has more than \(bodyLimit) bytes",
                stage: .body
            )
            bodyFailure = error
            failWaiting(error, &actions)
            return (.refuseBody, actions)
        }
        // Nothing may be taken by a call that suspends: the library would call again at once.
        if waitingBodyBytes >= Self.highWater, answer == nil {
            suspend()
            return (.wait, actions)
        }
        bodyBytes += piece.count
        // Who has answered reads no more.
        if answer == nil, !isAnswered, taskRuns {
            bodyPieces.append(unsafe Array(piece))
            waitingBodyBytes += piece.count
            feedReader(&actions)
        }
        return (.proceed, actions)
    }

    /// The library wants at most `limit` bytes of the stream.
    mutating func take(_ limit: Int) -> (Delivery, Actions) {
        var actions = Actions()
        if isGone || streamHasFailed { return (.failed, actions) }
        if isSuspended { return (.wait, actions) }
        if current.isEmpty { current = pieces.popFirst() ?? [] }
        guard !current.isEmpty else {
            // A library that is told of an end before the promised length takes the answer for complete.
            if streamHasEnded {
                return (streamLength.map { sentBytes < $0 } == true ? .failed : .end, actions)
            }
            suspend()
            return (.wait, actions)
        }
        let bytes = current.prefix(limit)
        current = current.dropFirst(limit)
        waitingBytes -= bytes.count
        sentBytes += bytes.count
        if waitingBytes <= Self.highWater / 4, let producer {
            actions.producer = (producer, .success(()))
            self.producer = nil
        }
        return (.bytes(bytes), actions)
    }

    /// An answer of another kind was given to the library up to byte `count`.
    mutating func sent(upTo count: Int) {
        sentBytes = max(sentBytes, count)
    }

    /// The answer goes to the library.
    mutating func answered(_ answer: Answer) {
        self.answer = nil
        status = answer.status
        note = answer.note
        knownBytes = answer.knownBytes
        if case .stream(let length) = answer.content { streamLength = length }
        isAnswered = true
    }

    /// Nothing more of the request is with the library.
    mutating func libraryEnded(isComplete: Bool) -> Actions {
        var actions = Actions()
        libraryHasEnded = true
        self.isComplete = isComplete && isAnswered && !streamHasFailed
        if self.isComplete, let knownBytes { sentBytes = knownBytes }
        isSuspended = false
        if !self.isComplete { leave(&actions) }
        // What is written after the last byte that was promised is for nobody.
        streamHasFailed = true
        if let producer {
            actions.producer = (producer, .failure(CancellationError()))
            self.producer = nil
        }
        finishIfDone(&actions)
        return actions
    }

    // MARK: The watch's side

    /// The client closed its connection: cancels what works for it, unless an answer is on its way.
    ///
    /// - Returns: Whether the library has to be woken, besides what is to be done: it waits for more of the body, and a
    ///   connection's end that came together with bytes is told to it by nobody.
    mutating func clientLeft() -> (Bool, Actions) {
        let isBodyAwaited = hasBody && !bodyHasEnded && answer == nil && !isAnswered
        guard isSuspended || isBodyAwaited, !libraryHasEnded else { return (false, Actions()) }
        let isLibraryWaiting = !isSuspended
        return (isLibraryWaiting, abandon())
    }

    /// Ends the exchange as soon as the library can.
    mutating func abandon() -> Actions {
        var actions = Actions()
        guard !libraryHasEnded else { return actions }
        leave(&actions)
        resume()
        return actions
    }

    // MARK: The task's side

    /// The task runs as `task`; it is given back to be cancelled where the client has gone meanwhile.
    mutating func attach(_ task: ScopedTask) -> Actions {
        var actions = Actions()
        if isGone { actions.cancelled = task } else if taskRuns { self.task = task }
        return actions
    }

    /// The task gives the answer; false where nobody waits for it.
    mutating func give(_ answer: Answer) -> Bool {
        if !isAnswered { note = answer.note }
        guard !isGone, !libraryHasEnded, self.answer == nil, !isAnswered else { return false }
        self.answer = answer
        status = answer.status
        bodyPieces = FIFO()
        waitingBodyBytes = 0
        resume()
        return true
    }

    /// The task has a piece of the stream; `true` where it may go on at once, else `producer` is resumed when it may.
    mutating func write(_ piece: [UInt8]) -> Result<Bool, CancellationError> {
        guard !isGone, !streamHasFailed else { return .failure(CancellationError()) }
        guard !piece.isEmpty else { return .success(true) }
        pieces.append(piece[...])
        waitingBytes += piece.count
        if isAnswered { resume() }
        return .success(waitingBytes < Self.highWater)
    }

    /// Takes a piece where none waits to be sent; false where one does.
    mutating func writeIfIdle(_ piece: [UInt8]) -> Bool {
        guard waitingBytes == 0, case .success = write(piece) else { return false }
        return true
    }

    /// Keeps who waits for room; the result is its own where there is room already.
    mutating func wait(_ producer: Producer) -> Result<Void, any Error>? {
        guard !isGone, !streamHasFailed else { return .failure(CancellationError()) }
        guard waitingBytes >= Self.highWater else { return .success(()) }
        precondition(self.producer == nil, "two tasks write one body at a time")
        self.producer = producer
        return nil
    }

    mutating func stopWaiting() -> Producer? {
        defer { producer = nil }
        return producer
    }

    mutating func streamEnded(isComplete: Bool) {
        streamHasEnded = true
        if !isComplete { streamHasFailed = true }
        if isAnswered { resume() }
    }

    mutating func taskEnded() -> Actions {
        var actions = Actions()
        taskRuns = false
        task = nil
        // Without an answer there is nothing to wait for.
        if answer == nil, !isAnswered { actions = abandon() }
        finishIfDone(&actions)
        return actions
    }

    /// What the reader of the body gets now; `nil` where it has to wait, for which it is kept.
    mutating func readBody(_ reader: BodyReader?, isCancelled: Bool = false) -> Result<[UInt8]?, any Error>? {
        if let bodyFailure { return .failure(bodyFailure) }
        if isCancelled { return .failure(CancellationError()) }
        if let piece = bodyPieces.popFirst() {
            waitingBodyBytes -= piece.count
            if waitingBodyBytes <= Self.highWater / 4, bodyHasBegun, answer == nil, !bodyHasEnded { resume() }
            return .success(piece)
        }
        if bodyHasEnded { return .success(nil) }
        if isGone || libraryHasEnded || answer != nil || isAnswered { return .failure(Self.clientGone) }
        guard let reader else { return nil }
        bodyReader = reader
        if !isBodyWanted {
            isBodyWanted = true
            resume()
        }
        return nil
    }

    mutating func stopReading() -> BodyReader? {
        defer { bodyReader = nil }
        return bodyReader
    }

    // MARK: Steps that several events share

    private mutating func suspend() {
        isSuspended = true
        connection.suspend()
    }

    private mutating func resume() {
        guard isSuspended else { return }
        isSuspended = false
        connection.resume()
    }

    private mutating func leave(_ actions: inout Actions) {
        isGone = true
        failWaiting(Self.clientGone, &actions)
    }

    private mutating func failWaiting(_ error: any Error, _ actions: inout Actions) {
        actions.cancelled = task
        task = nil
        if let bodyReader {
            actions.bodyReader = (bodyReader, .failure(error))
            self.bodyReader = nil
        }
        if let producer {
            actions.producer = (producer, .failure(CancellationError()))
            self.producer = nil
        }
        bodyPieces = FIFO()
        pieces = FIFO()
        current = []
    }

    private mutating func feedReader(_ actions: inout Actions) {
        guard let reader = bodyReader, let result = readBody(nil) else { return }
        bodyReader = nil
        actions.bodyReader = (reader, result)
    }

    private mutating func finishIfDone(_ actions: inout Actions) {
        guard libraryHasEnded, !taskRuns, let request else { return }
        // Its body holds the exchange.
        self.request = nil
        actions.finished = FinishedExchange(
            request,
            status: isAnswered || status == 413 ? status : nil,
            sentBytes: sentBytes,
            isComplete: isComplete,
            note: note
        )
    }

    private static var clientGone: CalotypeError {
        CalotypeError(.connectionReset, "the client has gone", stage: .body)
    }
}
