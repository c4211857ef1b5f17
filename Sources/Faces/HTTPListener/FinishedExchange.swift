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
