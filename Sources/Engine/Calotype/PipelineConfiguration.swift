public import CalotypeCodec
public import CalotypeCore
public import CalotypeHTTP
public import CalotypeStore

/// The resources that a pipeline may use, and how it sends requests to origins.
public struct PipelineConfiguration: Sendable {
    /// The maximum number of connections, 64 by default.
    ///
    /// A quarter of them is reserved for work of normal or higher priority.
    public var connections = 64
    /// The maximum number of connections to one host, 8 by default.
    ///
    /// A quarter of them is reserved for work of normal or higher priority.
    public var connectionsPerHost = 8
    /// The maximum number of redirects to follow for one source, 10 by default.
    public var redirects = 10
    /// The maximum number of encoded bytes in memory that wait to be decoded, 24 MiB by default.
    ///
    /// Larger bodies are spooled to unnamed temporary files. Uploads may take a quarter as much again.
    public var encodedBytes = ByteCount.mebibytes(24)
    /// The maximum length of a source that is held in memory, 8 MiB by default.
    ///
    /// A longer source goes to an unnamed temporary file even if ``encodedBytes`` has room for it.
    public var spoolThreshold = ByteCount.mebibytes(8)
    /// The maximum disk space for sources that are forwarded while they arrive, 1 GiB by default.
    ///
    /// If a source does not fit, its request fails with `too_many_requests`.
    public var growingBytes = ByteCount.mebibytes(1024)
    /// The limits of the memory cache, 64 MiB and 500 pictures by default.
    ///
    /// ``MemoryCacheLimits/none`` turns it off.
    public var memoryCache = MemoryCacheLimits()
    /// Whether the memory cache drops half of its pictures whenever the system runs short of memory.
    ///
    /// The default is `true`. Only Linux reports memory pressure. One of the pipeline's own threads starts
    /// watching for it when the pictures in memory may take 8 MiB; an ``executor`` turns this off.
    public var trimsOnMemoryPressure = true
    /// The folder in which pictures are cached between runs; none by default.
    ///
    /// The pipeline opens the cache, and closes it after the last write.
    public var diskCache: DiskCacheConfiguration?
    /// The store to use instead of ``diskCache``: one that several pipelines share, or another kind of store.
    ///
    /// The caller that provides the store also ends it.
    public var store: (any EntryStoring)?
    /// The kinds of data stored in ``diskCache`` or ``store``, renditions by default.
    public var stores = StoredContents.renditions
    /// Where to store partial downloads, so that a later load can resume them.
    ///
    /// A download is partial if its transfer was cut or cancelled. The default is a folder inside the folder
    /// of ``diskCache``, if there is one. Within one load, an attempt always resumes the one before it if the
    /// origin sends validators.
    public var partialDownloads: PartialDownloads?
    /// How long cached data may be used without a request to its origin (RFC 9111).
    public var freshness = FreshnessPolicy()
    /// Returns the current time, to compare with HTTP dates.
    public var wallClock: @Sendable () -> WallTime = WallTime.now
    /// The maximum number of retries for one source after a temporary failure, 2 by default.
    public var retries = 2
    /// The time limit for one source, 60 s by default.
    ///
    /// Attempts, redirects and the body count; waiting for permits does not.
    public var timeout = Duration.seconds(60)
    /// The addresses that the pipeline may connect to, any by default.
    public var addressPolicy = AddressPolicy.any
    /// Decides whether a URL may be requested; `nil`, the default, allows all that ``addressPolicy`` allows.
    ///
    /// The closure is called before each request, including requests after a redirect, and must return
    /// quickly. A URL that it rejects fails with `blocked_source`. Cached data is returned without calling
    /// it.
    public var acceptsURL: (@Sendable (WebURL) -> Bool)?
    /// Waits until a URL may be requested, or throws to refuse it; `nil`, the default, allows all immediately.
    ///
    /// The closure is awaited before each request, with the number of redirects that led to it. It holds no
    /// permit while it waits, and its wait before the first request is not charged to ``timeout``.
    public var admit: HTTPClient.Admission?
    /// Checks the head of each successful response before its body is read; throws to refuse the source.
    public var inspect: (@Sendable (HTTPResponse) throws(CalotypeError) -> Void)?
    /// Whether failures that concern a whole host are retried within a load; `true` by default.
    ///
    /// They are 429, 503, and failures to connect. Turn this off if the caller itself paces its requests to
    /// each host, so that a busy host does not receive more requests from every load that it refuses.
    public var retriesBusyHosts = true
    /// Header fields sent with each request.
    ///
    /// A redirect to another origin drops credentials among them.
    public var headers: [HeaderField] = []
    /// Whether requests to origins carry the trace that their load belongs to; `false` by default.
    ///
    /// Each request, also of a retry or a redirect, has a child of ``TraceContext/current`` (W3C Trace Context) in
    /// its fields `traceparent` and `tracestate`. A download that several loads share belongs to the trace of
    /// the one that began it. The trace does not change what is shared and cached.
    public var sendsTraceContext = false
    /// The transport's own settings: proxy, CA file, user agent.
    public var transport = CurlConfiguration()
    /// Threads and memory for decoding.
    public var codec = ImageCodecConfiguration()
    /// Changes each request before anything else is done with it: adds credentials, rewrites the URL.
    ///
    /// It runs for every load, even if the cache has the result, because the fields that it adds distinguish
    /// requests. A load that is cancelled while it waits here sends nothing. If the hook throws, the load
    /// fails.
    public var prepare: (@Sendable (ImageRequest) async throws -> ImageRequest)?
    /// Receives events for logs and metrics, on the thread where they happen; it must return quickly.
    public var observer: (@Sendable (PipelineEvent) -> Void)?
    /// Records the spans of loads whose tasks have no recorder.
    ///
    /// If there is an ``observer``, the spans carry the load numbers that it receives.
    public var trace: TraceRecorder?
    /// The transport to use instead of libcurl; the caller that provides it also ends it.
    public var exchange: (any HTTPTransporting)?
    /// The clock for deadlines and for the pauses between attempts.
    public var clock: any Clock<Duration> = ContinuousClock()
    /// The executor for the pipeline's tasks, decodes and file accesses.
    ///
    /// It replaces the pipeline's own threads and the global pool, so that a test can run the work step by
    /// step.
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

/// The kinds of data that a pipeline stores in its persistent store.
public struct StoredContents: OptionSet, Hashable, Sendable {
    /// The bits of the kinds.
    public let rawValue: Int

    /// Creates contents from their bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Encoded pictures in the size and format that was requested.
    public static let renditions = StoredContents(rawValue: 1)
    /// The sources of pictures, if they fit into memory.
    ///
    /// Also responses that a source does not exist (404, 410).
    public static let sources = StoredContents(rawValue: 2)
    /// Documents that ``ImagePipeline/document(for:read:)`` loads, such as search results.
    public static let documents = StoredContents(rawValue: 4)
}
