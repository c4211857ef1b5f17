/// What a server's answers say of themselves.
public struct AnswerRules: Hashable, Sendable {
    /// How long a picture may be kept by those who got it, 365 days by default; zero is told as `no-cache`.
    public var timeToLive = Duration.seconds(31_536_000)
    /// Whether what the source's origin says of its lifetime stands in the place of ``timeToLive``.
    public var passesCacheControl = false
    /// Whether pictures have an entity tag.
    public var hasEntityTags = true
    /// A text that changes all entity tags.
    public var entityTagBuster = ""
    /// Whether pictures tell when their source last changed, where its origin says so.
    public var hasLastModified = true
    /// Whether pictures name the URL of their source as the canonical one.
    public var isCanonicalTold = false
    /// The site whose scripts may read answers, `*` for all; none by default.
    public var allowedOrigin: String?
    /// Whether pictures tell the sizes of source and result in header fields.
    public var hasDebugHeaders = false
    /// Whether errors tell what was wrong in full: for development, not for strangers.
    public var areErrorsDetailed = false

    /// Creates the default rules.
    public init() {}
}
