public import CalotypeCore

/// Answers requests.
public protocol HTTPResponding: Sendable {
    /// What is said at first: an answer that takes no waiting, such as one from memory, or how there will be one. It is asked on
    /// the listener's thread and has to be quick.
    func firstAnswer(to request: IncomingRequest) -> FirstAnswer

    /// The answer; its task is cancelled when the client goes away.
    func response(to request: IncomingRequest) async -> OutgoingResponse

    /// The most bytes that the body of a request may have; `nil` for as many as the listener's configuration says.
    ///
    /// It is asked on the listener's thread for each request with a body when its head has come, and has to be quick.
    func bodyLimit(for request: IncomingRequest) -> ByteCount?

    /// Told once for each request that was handed to the responder, when nothing more of it is under way. It is asked on
    /// the listener's thread, the request's task or where its answer was given later, and has to be quick.
    func exchangeEnded(_ exchange: FinishedExchange)

    /// Told of each request whose head the listener refused itself, on its thread; it has to be quick.
    func requestRefused(_ request: RefusedRequest)

    /// Told when the listener takes no more connections: answers that have no end of their own come to theirs now. It is asked
    /// on any thread, more than once perhaps, and has to be quick.
    func drainBegan()
}

extension HTTPResponding {
    /// Lets ``response(to:)`` answer.
    public func firstAnswer(to request: IncomingRequest) -> FirstAnswer { .task }
    /// As the configuration says.
    public func bodyLimit(for request: IncomingRequest) -> ByteCount? { nil }
    /// Passes over what it is told.
    public func exchangeEnded(_ exchange: FinishedExchange) {}
    /// Passes over what it is told.
    public func requestRefused(_ request: RefusedRequest) {}
    /// Lets all answers go on.
    public func drainBegan() {}
}

/// What a responder says to a request on the listener's thread.
public enum FirstAnswer: Sendable {
    /// This is the answer; a stream is not given here.
    case now(OutgoingResponse)
    /// The answer comes without a task: the function, which is called once and at once, begins what leads to it.
    case later(@Sendable (LaterAnswer) -> Void)
    /// ``HTTPResponding/response(to:)`` has to be asked.
    case task
}

/// Takes the answer to a request that waits without a task.
public struct LaterAnswer: Sendable {
    private let wanted: @Sendable () -> Bool
    private let take: @Sendable (OutgoingResponse?) -> Void

    /// Creates one for `give`, which is asked once, and `isWanted`, which may be asked at any time.
    public init(
        ifWanted isWanted: @escaping @Sendable () -> Bool,
        _ give: @escaping @Sendable (OutgoingResponse?) -> Void
    ) {
        wanted = isWanted
        take = give
    }

    /// Whether the client is still there.
    public var isWanted: Bool { wanted() }

    /// Answers; it has to be called once, soon, on any thread, also where nobody wants the answer any more.
    ///
    /// - Parameter response: The answer, which is no stream; `nil` to have ``HTTPResponding/response(to:)`` asked in a task.
    public func give(_ response: OutgoingResponse?) {
        take(response)
    }
}

/// What became of a request.
public struct FinishedExchange: Sendable {
    /// The request.
    public let request: IncomingRequest
    /// The status of the answer; `nil` where none was begun before the client went away.
    public let status: Int?
    /// The bytes of the body that were sent.
    public let sentBytes: Int
    /// Whether the client had all of the answer.
    public let isComplete: Bool
    /// The ``OutgoingResponse/note`` of the answer, also of one that came too late to be sent.
    public let note: (any Sendable)?

    /// Creates the tale of a request.
    public init(
        _ request: IncomingRequest,
        status: Int?,
        sentBytes: Int,
        isComplete: Bool,
        note: (any Sendable)? = nil
    ) {
        self.note = note
        self.request = request
        self.status = status
        self.sentBytes = sentBytes
        self.isComplete = isComplete
    }
}

/// A request whose head was not as it has to be, and was answered without the responder.
public struct RefusedRequest: Sendable {
    /// The target as it came; empty where it was no text.
    public let target: String
    /// The client's address without its port.
    public let client: String
    /// The status of the answer.
    public let status: Int
    /// What was wrong with it.
    public let reason: String

    /// Creates the tale of a refusal.
    public init(target: String, client: String, status: Int, reason: String) {
        self.target = target
        self.client = client
        self.status = status
        self.reason = reason
    }
}
