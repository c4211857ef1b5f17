public import CalotypeCodec
public import CalotypeCore
public import CalotypeHTTP
public import CalotypeStore

/// What a pipeline may use, and how it speaks to origins.
public struct PipelineConfiguration: Sendable {
    /// The most connections at a time, 64 by default; a quarter is kept back from work below normal priority.
    public var connections = 64
    /// The most connections at a time to one host, 8 by default; a quarter is kept back likewise.
    public var connectionsPerHost = 8
    /// The most redirects that are followed for one source, 10 by default.
    public var redirects = 10
    /// The most encoded bytes in memory that wait for their decode, 24 MiB by default; larger bodies are spooled to
    /// unnamed temporary files.
    public var encodedBytes = ByteCount.mebibytes(24)
    /// The longest source that is held in memory, 8 MiB by default; a longer one goes to an unnamed temporary file even
    /// where ``encodedBytes`` has room for it.
    public var spoolThreshold = ByteCount.mebibytes(8)
    /// The most bytes on the disk of sources that are passed on while they come in, 1 GiB by default; what comes on top is
    /// refused with `too_many_requests`.
    public var growingBytes = ByteCount.mebibytes(1024)
    /// What is kept of finished pictures, 64 MiB and 500 of them by default; ``MemoryCacheLimits/none`` keeps nothing.
    public var memoryCache = MemoryCacheLimits()
    /// Whether half of the pictures in memory go each time the system is short of memory, where Linux tells so; `true` by
    /// default.
    ///
    /// The system is watched from when they take 8 MiB, by a thread of the pipeline's own; never with an ``executor``.
    public var trimsOnMemoryPressure = true
    /// The folder in which pictures are kept from one run to the next; none by default.
    ///
    /// The pipeline opens it, and closes it when all is written.
    public var diskCache: DiskCacheConfiguration?
    /// Where pictures are kept in place of ``diskCache``, for pipelines that share one and for stores of another kind;
    /// whoever gives it ends it.
    public var store: (any EntryStoring)?
    /// What is kept in ``diskCache`` or ``store``, renditions by default.
    public var stores = StoredContents.renditions
    /// Where the beginnings of sources are kept whose transfer was cut or cancelled, for a later load to go on from there;
    /// below the folder of ``diskCache`` by default, where there is one.
    ///
    /// Within one load an attempt always goes on from where the last one was cut, if the origin tells versions apart.
    public var partialDownloads: PartialDownloads?
    /// How long what is kept may be taken without asking its origin (RFC 9111).
    public var freshness = FreshnessPolicy()
    /// Tells the time that the dates of HTTP are compared with.
    public var wallClock: @Sendable () -> WallTime = WallTime.now
    /// Requests for one source after the first has failed for a passing reason, 2 by default.
    public var retries = 2
    /// The most time for one source: attempts, redirects and body, not the wait for permits; 60 s by default.
    public var timeout = Duration.seconds(60)
    /// Which addresses may be connected to, any by default.
    public var addressPolicy = AddressPolicy.any
    /// Whether a URL may be asked; `nil`, the default, lets all be asked that ``addressPolicy`` allows.
    ///
    /// It is called before each request, also for what a redirect leads to, and must be quick; what it turns down fails
    /// with `blocked_source`. What is stored already is given without it.
    public var acceptsURL: (@Sendable (WebURL) -> Bool)?
    /// Header fields sent with each request; credentials among them are dropped when a redirect leaves the origin.
    public var headers: [HeaderField] = []
    /// The transport's own settings: proxy, CA file, user agent.
    public var transport = CurlConfiguration()
    /// Threads and memory for decoding.
    public var codec = ImageCodecConfiguration()
    /// Changes each request before anything else is done with it: adds credentials, rewrites the URL.
    ///
    /// It runs for every load, also for one that the cache answers, because what it adds tells requests apart. A load that
    /// is cancelled while it waits here sends nothing. What it throws fails the load.
    public var prepare: (@Sendable (ImageRequest) async throws -> ImageRequest)?
    /// Told what happens, for logs and metrics, on the thread where it happens; it must be quick.
    public var observer: (@Sendable (PipelineEvent) -> Void)?
    /// Takes the spans of loads whose tasks have no recorder; they carry the numbers that ``observer`` is told, where there is one.
    public var trace: TraceRecorder?
    /// Performs the exchanges in libcurl's place; whoever gives it ends it.
    public var exchange: (any HTTPTransporting)?
    /// What measures deadlines and the pauses between attempts.
    public var clock: any Clock<Duration> = ContinuousClock()
    /// Where the pipeline's tasks, decodes and file accesses run in place of its own threads and the global pool, so
    /// that a test can run them step by step.
    public var executor: (any TaskExecutor)?

    /// Creates the default configuration.
    public init() {}

    var clientLimits: HTTPClient.Limits {
        var limits = HTTPClient.Limits()
        limits.connections = connections
        limits.connectionsPerHost = connectionsPerHost
        limits.redirects = redirects
        return limits
    }
}

/// What a pipeline keeps in its lasting store.
public struct StoredContents: OptionSet, Hashable, Sendable {
    /// The bits of the kinds.
    public let rawValue: Int

    /// Creates contents from their bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Encoded pictures as they were asked for.
    public static let renditions = StoredContents(rawValue: 1)
    /// The bytes that pictures are made of, as far as they fit into memory; and that an origin has none (404, 410).
    public static let sources = StoredContents(rawValue: 2)
    /// What ``ImagePipeline/document(for:read:)`` loads, such as the answers of a search.
    public static let documents = StoredContents(rawValue: 4)
}
