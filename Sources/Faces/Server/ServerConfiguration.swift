public import Calotype
internal import CalotypeCodec
public import CalotypeCore
public import CalotypeHTTP
public import CalotypeHTTPListener
internal import CalotypeStore

/// What a thumbnail server may use, whom it serves and what it tells.
public struct ServerConfiguration: Sendable {
    /// Where it listens, and what its clients may cost.
    public var listener = HTTPListenerConfiguration()
    /// How paths are read: prefix, presets, sources that may be named.
    public var paths = PathConfiguration()
    /// Who may sign paths; they need no signature by default.
    public var signing = SigningRules()
    /// In which format pictures are answered whose path names none.
    public var negotiation = FormatNegotiation()
    /// Whether what browsers tell of their screen (`DPR`, `Width`) is heeded; `false` by default.
    public var heedsClientHints = false
    /// The folder below which `local:///PATH` is; there are no such sources by default.
    public var localRoot: String?
    /// Connections, caches and decoding.
    public var pipeline = Self.defaultPipeline
    /// Whether sources may be at any address; `false` by default: only at public ones.
    public var allowsPrivateAddresses = false
    /// At which addresses sources may be besides public ones, where ``allowsPrivateAddresses`` is not set; none by default.
    public var allowedAddresses = AddressPolicy.publicOnly
    /// The folder in which results are kept; none by default.
    public var cacheFolder: String?
    /// The most bytes that the folder keeps, 1 GiB by default.
    public var cacheSize = ByteCount.mebibytes(1024)
    /// Whether sources are kept in the folder too; `false` by default.
    public var keepsSources = false
    /// What one source may cost.
    public var limits = Self.defaultLimits
    /// What answers say of themselves.
    public var answers = AnswerRules()
    /// How many requests may be in the works.
    public var queue = QueueLimits()
    /// The picture in the place of one that cannot be had; none by default.
    public var fallback = FallbackRules()
    /// The picture that watermarks are; none by default.
    public var watermark = WatermarkRules()
    /// The most time from a request to its answer, 60 s by default.
    public var timeout = Duration.seconds(60)
    /// What requests for pictures have to carry as `Authorization: Bearer SECRET`; nothing by default.
    public var secret: String?
    /// A further path that answers as `/health` does; none by default.
    public var healthPath: String?
    /// Where metrics are told; at ``listener``'s address where `nil`, else only here.
    public var metricsAddress: ListeningAddress?
    /// What the names of metrics begin with, and an underscore; nothing where empty.
    public var metricsNamespace = "calotype"
    /// Where the access log goes: a file, `-` for standard output, or nothing at all where it is `nil`.
    public var accessLog: String? = "-"
    /// The file that a trace is written to at the end; none by default.
    public var traceFile: String?
    /// How long answers under way are waited for after SIGTERM, 20 s by default.
    public var grace = Duration.seconds(20)

    /// Told of trouble that stops nothing, such as a cache that cannot be written; it must be quick.
    public var onNotice: (@Sendable (String) -> Void)?

    /// Creates the default configuration.
    public init() {}

    /// Whether paths need no signature.
    public var isUnsigned: Bool { signing.keys.isEmpty }

    /// Checks that presets, default options and keys make sense, without loading anything.
    ///
    /// - Throws: what is wrong, which a server would not start with either.
    public func checkPaths() throws(ServerError) {
        // Whether there is a watermark is known when it is loaded; a preset may name one all the same.
        let watermark = watermark.place.map { _ in EncodedPicture(name: "", bytes: []) }
        try PathReader(try completePaths(watermark: watermark)).check()
    }

    /// How paths are read, with all that is said elsewhere.
    ///
    /// - Throws: which of it makes no sense.
    func completePaths(watermark: EncodedPicture? = nil) throws(ServerError) -> PathConfiguration {
        var paths = paths
        paths.signature = try signing.check()
        paths.allowsLocal = paths.allowsLocal || localRoot != nil
        paths.watermark = watermark ?? paths.watermark
        return paths
    }

    /// The pipeline's configuration with all that is said elsewhere.
    var completePipeline: PipelineConfiguration {
        var pipeline = pipeline
        pipeline.addressPolicy = allowsPrivateAddresses ? .any : allowedAddresses
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
