public import CalotypeCodec
public import CalotypeCore
public import CalotypeHTTP

/// What a pipeline may use, and how it speaks to origins.
public struct PipelineConfiguration: Sendable {
    /// The most connections at a time, 64 by default.
    public var connections = 64
    /// The most connections at a time to one host, 8 by default.
    public var connectionsPerHost = 8
    /// The most encoded bytes in memory that wait for their decode, 24 MiB by default; larger bodies are spooled to
    /// unnamed temporary files.
    public var encodedBytes = ByteCount.mebibytes(24)
    /// Requests for one source after the first has failed for a passing reason, 2 by default.
    public var retries = 2
    /// The most time for one source: attempts, redirects and body, not the wait for permits; 60 s by default.
    public var timeout = Duration.seconds(60)
    /// Which addresses may be connected to, any by default.
    public var addressPolicy = AddressPolicy.any
    /// Header fields sent with each request; credentials among them are dropped when a redirect leaves the origin.
    public var headers: [HTTPHeaders.Field] = []
    /// The transport's own settings: proxy, CA file, user agent.
    public var transport = CurlConfiguration()
    /// Threads and memory for decoding.
    public var codec = VipsCodecConfiguration()

    /// Creates the default configuration.
    public init() {}
}
