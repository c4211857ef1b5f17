public import CalotypeCore

/// What a request wants done with its URL (RFC 9110, section 9).
public struct HTTPMethod: Hashable, Sendable, CustomStringConvertible {
    /// The name as it is sent; names differ by case.
    public let name: String

    /// Creates a method by its name.
    ///
    /// - Throws: `invalid_request` where the name is no token, or one that makes a connection something else than a
    ///   request and its answer: `CONNECT` and `TRACE`.
    public init(_ name: String) throws(CalotypeError) {
        guard HTTPHeaders.Field.isToken(name), !["CONNECT", "TRACE"].contains(name.uppercased()) else {
            throw CalotypeError(
                .invalidRequest,
                "a method is a word such as PUT, and not CONNECT or TRACE; \"\(name.prefix(64))\" is not",
                stage: .request
            )
        }
        self.name = name
    }

    private init(known name: StaticString) {
        self.name = name.description
    }

    /// Gives what is there.
    public static let get = HTTPMethod(known: "GET")
    /// Gives the head of what `GET` would give.
    public static let head = HTTPMethod(known: "HEAD")
    /// Lets the origin do with the body what it does at this URL; sent twice, it may be done twice.
    public static let post = HTTPMethod(known: "POST")
    /// Stores the body at the URL.
    public static let put = HTTPMethod(known: "PUT")
    /// Changes what is at the URL.
    public static let patch = HTTPMethod(known: "PATCH")
    /// Removes what is at the URL.
    public static let delete = HTTPMethod(known: "DELETE")
    /// Tells what the origin can do.
    public static let options = HTTPMethod(known: "OPTIONS")

    /// Whether it changes nothing at the origin (RFC 9110, section 9.2.1).
    public var isSafe: Bool { self == .get || self == .head || self == .options }
    /// Whether to send it twice is the same as to send it once (RFC 9110, section 9.2.2).
    public var isIdempotent: Bool { isSafe || self == .put || self == .delete }

    /// The name.
    public var description: String { name }

    /// Whether a request has a length even where it has no body (RFC 9110, section 8.6).
    var expectsBody: Bool { self == .post || self == .put || self == .patch }
    /// Whether a request may have a body.
    var allowsBody: Bool { self != .get && self != .head }
}
