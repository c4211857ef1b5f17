/// A responder whose responses the listener may repeat without calling it for each request.
///
/// A responder that forwards requests to another is not one, even if the other is: it may treat each request
/// differently, for example refuse some.
package protocol PreparedResponding: HTTPResponding {
    /// Stores `response` for later requests to the same target, if it is the same for all of them.
    ///
    /// The listener calls this on one of its own threads for each immediate response to a GET.
    ///
    /// - Parameters:
    ///   - response: The response, before conditions and ranges have been applied.
    ///   - request: The request that it answers.
    ///   - name: The value of the `Server` field; empty to omit the field.
    func prepare(_ response: OutgoingResponse, to request: IncomingRequest, from name: String)

    /// Returns the response that is stored for exactly these bytes.
    ///
    /// The look-up does not count as a use.
    func prepared(for target: UnsafeRawBufferPointer) -> PreparedResponse?
}

/// The content of a prepared response, which knows how long it is valid, and is notified of each use.
///
/// The listener calls it on one of its own threads, so it must be quick.
package protocol PreparedContent: AnyObject, Sendable {
    /// Begins a use of the response, which counts as a use of its content.
    ///
    /// - Returns: The ID of the request; `nil` if the response is no longer valid, so that the responder must
    ///   be called.
    func begin() -> UInt64?

    /// Receives each use that has begun, once, when it has ended.
    func ended(_ use: PreparedUse)
}

/// One use of a prepared response.
package struct PreparedUse: Sendable {
    /// The ID of the request.
    package let id: UInt64
    /// The client's address without its port.
    package let client: String
    /// When the head of the request was complete.
    package let arrival: ContinuousClock.Instant
    /// The number of body bytes sent.
    package let sentBytes: Int
    /// Whether the client received the whole response.
    package let isComplete: Bool

    package init(
        id: UInt64,
        client: String,
        arrival: ContinuousClock.Instant,
        sentBytes: Int,
        isComplete: Bool
    ) {
        self.id = id
        self.client = client
        self.arrival = arrival
        self.sentBytes = sentBytes
        self.isComplete = isComplete
    }
}
