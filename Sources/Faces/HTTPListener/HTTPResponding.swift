public import CalotypeFiles

/// Answers requests.
public protocol HTTPResponding: Sendable {
    /// Returns the answer if it takes no waiting, such as one from memory, or else the plan that leads to it.
    ///
    /// The listener calls it on its thread, so it has to be quick.
    func firstAnswer(to request: IncomingRequest) -> FirstAnswer

    /// Makes the answer; its task is cancelled when the client goes away.
    func response(to request: IncomingRequest) async -> OutgoingResponse

    /// The most bytes that the body of a request may have; `nil` for as many as the listener's configuration says.
    ///
    /// It is asked on the listener's thread for each request with a body when its head has come, and has to be quick.
    func bodyLimit(for request: IncomingRequest) -> ByteCount?

    /// Receives each request that was handed to the responder once, when nothing more of it is under way. It is called on
    /// the listener's thread or in the request's task, and has to be quick.
    func exchangeEnded(_ exchange: FinishedExchange)

    /// Told of each request whose head the listener refused itself, on its thread; it has to be quick.
    func requestRefused(_ request: RefusedRequest)

    /// Told when the listener takes no more connections: answers that have no end of their own come to theirs now. It is asked
    /// on any thread, more than once perhaps, and has to be quick.
    func drainBegan()
}

extension HTTPResponding {
    /// Lets ``response(to:)`` answer in a task.
    public func firstAnswer(to request: IncomingRequest) -> FirstAnswer {
        .task { await response(to: request) }
    }
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
    /// Makes the answer, in the request's task, which is cancelled when the client goes away.
    public typealias Plan = @Sendable () async -> OutgoingResponse

    /// The answer itself.
    case now(OutgoingResponse)
    /// A plan that soon has its answer, such as from a disk cache.
    ///
    /// Its task begins on the listener's thread and stays there until it first waits, so it must be quick up to then.
    case later(Plan)
    /// A plan for work of any length.
    case task(Plan)

    /// The answer, once the plan, if there is one, has made it.
    public func response() async -> OutgoingResponse {
        switch self {
        case .now(let response): response
        case .later(let plan), .task(let plan): await plan()
        }
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
