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
