public import CalotypeCore
internal import CalotypeHTTP

/// How it is found out whether a post has arrived whose answer was lost, at a server that takes posts as JSON.
public enum PostSettling: Hashable, Sendable {
    /// The server knows `Idempotency-Key`, and so the post is sent again.
    case key
    /// A person has to look.
    case ask
    /// The answer of this URL, in which `{key}` stands for the post's key: the post as JSON, or 404 where there is no such post.
    case lookUp(template: String)

    /// Parses `key`, `ask` or a URL with `{key}` in it.
    ///
    /// - Throws: `invalid_request`; for URLs as `DestinationAddress` does.
    public init(_ text: String, allowsHTTP: Bool = false) throws(CalotypeError) {
        switch text {
        case "key": self = .key
        case "ask": self = .ask
        default:
            guard text.contains("://"), text.contains("{key}") else {
                throw CalotypeError(
                    .invalidRequest,
                    "it is key, ask, or a URL with {key} in it, such as https://example.org/posts/{key}",
                    stage: .request
                )
            }
            _ = try DestinationAddress.url(text.replacing("{key}", with: "0"), allowsHTTP: allowsHTTP)
            self = .lookUp(template: text)
        }
    }
}
