public import Calotype
internal import CalotypeCodec
public import CalotypeCore
public import CalotypeHTTP
public import CalotypeHTTPListener
internal import CalotypeStore

/// The settings of a thumbnail server.
public struct ServerConfiguration: Sendable {
    /// The address to listen on, and the limits for clients.
    public var listener = HTTPListenerConfiguration()
    /// The rules for paths: prefix, presets and permitted sources.
    public var paths = PathConfiguration()
    /// The keys for signed paths; paths need no signature by default.
    public var signing = SigningRules()
    /// The rules for choosing the format if the path names none.
    public var negotiation = FormatNegotiation()
    /// Whether to use client hints about the screen (`DPR`, `Width`); `false` by default.
    public var heedsClientHints = false
    /// The folder for `local:///PATH` sources; by default there is none, and such sources are refused.
    public var localRoot: String?
    /// The settings for connections, caches and decoding.
    public var pipeline = Self.defaultPipeline
    /// Whether sources may have any address; `false` by default: only public addresses.
    public var allowsPrivateAddresses = false
    /// The addresses besides public ones that sources may have; none by default.
    ///
    /// ``allowsPrivateAddresses`` overrides it.
    public var allowedAddresses = AddressPolicy.publicOnly
    /// The folder for cached results; none by default.
    public var cacheFolder: String?
    /// The maximum size of the cache folder, 1 GiB by default.
    public var cacheSize = ByteCount.mebibytes(1024)
    /// Whether to cache sources in the folder too; `false` by default.
    public var keepsSources = false
    /// The limits for one source.
    public var limits = Self.defaultLimits
    /// The header fields and error texts of responses.
    public var answers = AnswerRules()
    /// The maximum number of requests in progress.
    public var queue = QueueLimits()
    /// The fallback image for unavailable sources; none by default.
    public var fallback = FallbackRules()
    /// The image used for watermarks; none by default.
    public var watermark = WatermarkRules()
    /// The maximum time from a request to its response, 60 s by default.
    public var timeout = Duration.seconds(60)
    /// The secret that image requests must send as `Authorization: Bearer SECRET`; none by default.
    public var secret: String?
    /// An additional path that responds like `/health`; none by default.
    public var healthPath: String?
    /// The address of the metrics; `nil` for the address of ``listener``.
    ///
    /// If it is set, metrics are available only there.
    public var metricsAddress: ListeningAddress?
    /// The prefix of metric names, followed by an underscore; no prefix if it is empty.
    public var metricsNamespace = "calotype"
    /// The destination of the access log: a file, `-` for standard output, or `nil` for no log.
    public var accessLog: String? = "-"
    /// The file for a trace, written at the end; none by default.
    public var traceFile: String?
    /// How long to wait for responses in progress after SIGTERM, 20 s by default.
    public var grace = Duration.seconds(20)

    /// Receives warnings about problems that stop nothing, such as a read-only cache; must be quick.
    public var onNotice: (@Sendable (String) -> Void)?

    /// Creates the default configuration.
    public init() {}

    /// Whether paths need no signature.
    public var isUnsigned: Bool { signing.keys.isEmpty }

    /// Checks presets, default options and keys without loading anything.
    ///
    /// - Throws: The error that would also keep a server from starting.
    public func checkPaths() throws(ServerError) {
        // Whether there is a watermark is known only when it is loaded; a preset may name one anyway.
        let watermark = watermark.place.map { _ in EncodedPicture(name: "", bytes: []) }
        try PathReader(try completePaths(watermark: watermark)).check()
    }

    /// Returns the rules for paths, completed from the other settings.
    ///
    /// - Throws: The error in one of the settings.
    func completePaths(watermark: EncodedPicture? = nil) throws(ServerError) -> PathConfiguration {
        var paths = paths
        paths.signature = try signing.check()
        paths.allowsLocal = paths.allowsLocal || localRoot != nil
        paths.watermark = watermark ?? paths.watermark
        return paths
    }

    /// The pipeline's configuration, completed from the other settings.
    var completePipeline: PipelineConfiguration {
        var pipeline = pipeline
        pipeline.addressPolicy =
            allowsPrivateAddresses ? allowedAddresses.union(.allPrivate) : allowedAddresses
        pipeline.transport.readyPolicies.append(pipeline.addressPolicy)
        if let cacheFolder {
            var cache = DiskCacheConfiguration(folder: cacheFolder)
            cache.limit = cacheSize
            cache.onNotice = onNotice
            pipeline.diskCache = cache
        }
        if !paths.allowedSources.isEmpty, pipeline.acceptsURL == nil {
            let allowed = paths.allowedSources
            pipeline.acceptsURL = { allowed.allows($0) }
        }
        if keepsSources { pipeline.stores.insert(.sources) }
        return pipeline
    }

    private static var defaultPipeline: PipelineConfiguration {
        var pipeline = PipelineConfiguration()
        pipeline.connections = 1_024
        pipeline.connectionsPerHost = 16
        pipeline.freshness.isShared = true
        pipeline.retries = 1
        pipeline.memoryCache.count = 10_000
        pipeline.codec.isolation = .slow
        return pipeline
    }

    private static var defaultLimits: ImageLimits {
        var limits = ImageLimits()
        limits.decodeTime = .seconds(20)
        return limits
    }
}

/// The rules for the header fields and error texts of responses.
public struct AnswerRules: Hashable, Sendable {
    /// How long clients may cache an image, 365 days by default; zero becomes `no-cache`.
    public var timeToLive = Duration.seconds(31_536_000)
    /// Whether the lifetime from the source's origin replaces ``timeToLive``.
    public var passesCacheControl = false
    /// Whether image responses have an entity tag.
    public var hasEntityTags = true
    /// A text that changes all entity tags.
    public var entityTagBuster = ""
    /// Whether image responses contain the modification date of their source, if the origin sends one.
    public var hasLastModified = true
    /// Whether image responses name the URL of their source as the canonical one.
    public var isCanonicalTold = false
    /// The site whose scripts may read responses, or `*` for all; none by default.
    public var allowedOrigin: String?
    /// Whether image responses contain the sizes of source and result in header fields.
    public var hasDebugHeaders = false
    /// Whether error responses contain full details: for development, not for strangers.
    public var areErrorsDetailed = false

    /// Creates the default rules.
    public init() {}
}

/// A host and a port to listen on.
public struct ListeningAddress: Hashable, Sendable {
    /// An address, such as `127.0.0.1`.
    public let host: String
    /// A port; with 0 the system chooses one.
    public let port: Int

    /// Creates an address.
    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }
}
