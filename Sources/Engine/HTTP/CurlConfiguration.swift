import CalotypeCore

/// How a transport reaches the network.
public struct CurlConfiguration: Sendable {
    /// The HTTP proxy that all requests go through; none by default, whatever the environment says.
    ///
    /// A proxy resolves the origins' names, so that an ``AddressPolicy`` can only be applied to hosts that are addresses;
    /// the proxy itself may have any address.
    public var proxy: WebURL?
    /// A file of PEM certificates that are trusted instead of the system's.
    public var certificateFile: String?
    /// What the transport calls itself; ``defaultUserAgent`` by default.
    public var userAgent = CurlConfiguration.defaultUserAgent
    /// The most idle connections kept for reuse, for each address policy: 64.
    public var idleConnections = 64
    /// The most threads that resolve names for callers who wait: 64; a thread ends when there is no name left.
    ///
    /// Each looks one name up at a time, and a name that hangs keeps it for as long as the system tries. Up to three times as many
    /// more may run lookups whose callers have left.
    public var resolverThreads = 64
    /// How long a name's addresses are remembered: 60 s.
    public var nameLifetime = Duration.seconds(60)
    /// How long it is remembered that a name could not be resolved: 2 s.
    public var failedNameLifetime = Duration.seconds(2)

    /// The address policies that a scope prepares for at its start; none by default.
    ///
    /// ``withCurlTransport(_:_:)`` makes their threads and descriptors at once; those of others are made with their first request.
    /// A server names those that it will need, so that its clients cannot take what its loads depend on.
    public var readyPolicies: [AddressPolicy] = []

    /// `Calotype/VERSION libcurl/VERSION`.
    public static let defaultUserAgent = "Calotype/0.1 libcurl/\(CurlLibrary.version)"

    /// Creates the default configuration.
    public init() {}

    /// Throws `invalid_request` for a user agent that would smuggle in a header.
    func validate() throws(CalotypeError) {
        _ = try HTTPHeaders.Field("User-Agent", userAgent)
        if certificateFile?.utf8.contains(0) == true {
            throw CalotypeError(.invalidRequest, "the certificate file's name has a NUL", stage: .request)
        }
    }
}
