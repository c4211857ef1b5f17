/// Answers requests.
public protocol HTTPResponding: Sendable {
    /// An answer that can be given without waiting, such as one from memory; it is asked on the listener's thread and has
    /// to be quick. `nil` where ``response(to:)`` has to be asked.
    func immediateResponse(to request: IncomingRequest) -> OutgoingResponse?

    /// The answer; its task is cancelled when the client goes away.
    func response(to request: IncomingRequest) async -> OutgoingResponse

    /// Told once for each request, when nothing more of it is under way.
    func exchangeEnded(_ exchange: FinishedExchange)
}

extension HTTPResponding {
    public func immediateResponse(to request: IncomingRequest) -> OutgoingResponse? { nil }
    public func exchangeEnded(_ exchange: FinishedExchange) {}
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

    /// Creates the tale of a request.
    public init(_ request: IncomingRequest, status: Int?, sentBytes: Int, isComplete: Bool) {
        self.request = request
        self.status = status
        self.sentBytes = sentBytes
        self.isComplete = isComplete
    }
}
