public import CalotypeCore

/// Why a request is not answered with a picture.
public struct RequestRefusal: Error, Hashable, Sendable {
    /// The status of the answer.
    public var status: Int
    /// What the client is told, such as `Invalid URL`.
    public var publicMessage: String
    /// The stable word.
    public var code: ErrorCode
    /// What was wrong, for the log and for developers.
    public var detail: String

    /// Creates a refusal.
    public init(_ status: Int, _ publicMessage: String, _ code: ErrorCode, _ detail: String) {
        self.status = status
        self.publicMessage = publicMessage
        self.code = code
        self.detail = detail
    }
}
