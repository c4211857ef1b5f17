/// The method of a request (RFC 9110, section 9).
public struct HTTPMethod: Hashable, Sendable, CustomStringConvertible {
    /// The name as it is sent; names differ by case.
    public let name: String

    /// Creates a method by its name.
    ///
    /// - Throws: ``HTTPMessageError`` if the name is not a token, or is `CONNECT` or `TRACE`, which turn a
    ///   connection into something else than a request and its response.
    public init(_ name: String) throws(HTTPMessageError) {
        guard name.isToken, !["CONNECT", "TRACE"].contains(name.uppercased()) else {
            throw HTTPMessageError(
                .invalidMethod,
                "a method must be a word such as PUT, and not CONNECT or TRACE; \"\(name.prefix(64))\" is not"
            )
        }
        self.name = name
    }

    private init(known name: StaticString) {
        self.name = name.description
    }

    /// Requests the content at the URL.
    public static let get = HTTPMethod(known: "GET")
    /// Requests the head of the response to `GET`.
    public static let head = HTTPMethod(known: "HEAD")
    /// Lets the origin process the body; if sent twice, it may be processed twice.
    public static let post = HTTPMethod(known: "POST")
    /// Stores the body at the URL.
    public static let put = HTTPMethod(known: "PUT")
    /// Changes the content at the URL.
    public static let patch = HTTPMethod(known: "PATCH")
    /// Removes the content at the URL.
    public static let delete = HTTPMethod(known: "DELETE")
    /// Requests the options of the origin.
    public static let options = HTTPMethod(known: "OPTIONS")

    /// Whether the method changes nothing at the origin (RFC 9110, section 9.2.1).
    public var isSafe: Bool { self == .get || self == .head || self == .options }
    /// Whether sending it twice has the effect of sending it once (RFC 9110, section 9.2.2).
    public var isIdempotent: Bool { isSafe || self == .put || self == .delete }

    /// The name.
    public var description: String { name }

    /// Whether a request has a length even if it has no body (RFC 9110, section 8.6).
    package var expectsBody: Bool { self == .post || self == .put || self == .patch }
    /// Whether a request may have a body.
    package var allowsBody: Bool { self != .get && self != .head }
}
