public import CalotypeFiles

/// A type that responds to requests.
public protocol HTTPResponding: Sendable {
    /// Returns the response if it needs no waiting, such as one from memory, or else a plan for it.
    ///
    /// The listener calls this on one of its own threads, so it must be quick.
    func firstAnswer(to request: IncomingRequest) -> FirstAnswer

    /// Creates the response.
    ///
    /// The task is cancelled when the client disconnects.
    func response(to request: IncomingRequest) async -> OutgoingResponse

    /// Returns the maximum size of a request's body; `nil` for the limit in the listener's configuration.
    ///
    /// The listener calls this on one of its own threads for each request with a body, when its head has
    /// arrived. It must be quick.
    func bodyLimit(for request: IncomingRequest) -> ByteCount?

    /// Receives each request that was passed to the responder, once, when it has ended.
    ///
    /// The call happens on a thread of the listener or in the request's task, and must be quick.
    func exchangeEnded(_ exchange: FinishedExchange)

    /// Receives each request whose head the listener refused.
    ///
    /// The call happens on a thread of the listener, and must be quick.
    func requestRefused(_ request: RefusedRequest)

    /// Notifies the responder that the listener has stopped accepting connections.
    ///
    /// Endless responses must now end. The call happens on any thread, possibly more than once, and must be
    /// quick.
    func drainBegan()
}

extension HTTPResponding {
    /// Leaves the response to a task that calls ``response(to:)``.
    public func firstAnswer(to request: IncomingRequest) -> FirstAnswer {
        .task { await response(to: request) }
    }
    /// Uses the limit of the configuration.
    public func bodyLimit(for request: IncomingRequest) -> ByteCount? { nil }
    /// Ignores the request.
    public func exchangeEnded(_ exchange: FinishedExchange) {}
    /// Ignores the request.
    public func requestRefused(_ request: RefusedRequest) {}
    /// Lets all responses continue.
    public func drainBegan() {}
}

/// A responder's first reaction to a request, on a thread of the listener.
public enum FirstAnswer: Sendable {
    /// Creates the response in the request's task, which is cancelled when the client disconnects.
    public typealias Plan = @Sendable () async -> OutgoingResponse

    /// The response itself.
    case now(OutgoingResponse)
    /// A plan that will soon have its response, such as from a disk cache.
    ///
    /// Its task starts on that thread and stays there until it first waits, so it must be quick until then.
    case later(Plan)
    /// A plan for work of any length.
    case task(Plan)

    /// Returns the response, running the plan if there is one.
    public func response() async -> OutgoingResponse {
        switch self {
        case .now(let response): response
        case .later(let plan), .task(let plan): await plan()
        }
    }
}

/// The outcome of a request.
public struct FinishedExchange: Sendable {
    /// The request.
    public let request: IncomingRequest
    /// The status of the response; `nil` if the client disconnected before a response began.
    public let status: Int?
    /// The number of body bytes sent.
    public let sentBytes: Int
    /// Whether the client received the whole response.
    public let isComplete: Bool
    /// The ``OutgoingResponse/note`` of the response, even if it came too late to be sent.
    public let note: (any Sendable)?

    /// Creates the outcome of a request.
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

/// A request with an unacceptable head, which the listener refused without the responder.
public struct RefusedRequest: Sendable {
    /// The target as received; empty if it was not valid text.
    public let target: String
    /// The client's address without its port.
    public let client: String
    /// The status of the response.
    public let status: Int
    /// The reason for the refusal.
    public let reason: String

    /// Creates the record of a refusal.
    public init(target: String, client: String, status: Int, reason: String) {
        self.target = target
        self.client = client
        self.status = status
        self.reason = reason
    }
}
