/// A stable word that names what went wrong; reports, exit lines and HTTP responses use the same word.
///
/// The set is open: a module may add codes.
public struct ErrorCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The word itself, in lower case with underscores.
    public let rawValue: String

    /// Creates a code from its word.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    private init(_ word: StaticString) {
        rawValue = word.description
    }

    /// The word itself.
    public var description: String { rawValue }
}

extension ErrorCode {
    // The request.
    /// The text is not a URL.
    public static let invalidURL = ErrorCode("invalid_url")
    /// The URL is neither `http` nor `https`.
    public static let unsupportedScheme = ErrorCode("unsupported_scheme")
    /// The request is invalid, such as a width of 0.
    public static let invalidRequest = ErrorCode("invalid_request")

    // The connection to the origin.
    /// The address policy forbids the address that the host name resolved to.
    public static let blockedAddress = ErrorCode("blocked_address")
    /// The URL names a port that belongs to another protocol.
    public static let blockedPort = ErrorCode("blocked_port")
    /// The URL, or one that it redirects to, is not an allowed source.
    public static let blockedSource = ErrorCode("blocked_source")
    /// The host asks crawlers not to use the source: in `robots.txt`, `X-Robots-Tag` or `TDM-Reservation`.
    public static let disallowedByRobots = ErrorCode("disallowed_by_robots")
    /// The host name could not be resolved.
    public static let dnsFailed = ErrorCode("dns_failed")
    /// No connection could be established.
    public static let connectFailed = ErrorCode("connect_failed")
    /// The connection was cut before a complete response head.
    public static let connectionReset = ErrorCode("connection_reset")
    /// The TLS handshake failed or the certificate is not valid.
    public static let tlsFailed = ErrorCode("tls_failed")
    /// The proxy refused or could not be reached.
    public static let proxyFailed = ErrorCode("proxy_failed")
    /// No connection within the connect timeout.
    public static let timeoutConnect = ErrorCode("timeout_connect")
    /// No complete response head within the header timeout.
    public static let timeoutHeaders = ErrorCode("timeout_headers")
    /// No body byte within the idle timeout.
    public static let timeoutIdle = ErrorCode("timeout_idle")
    /// The body arrived slower than the minimum rate.
    public static let tooSlow = ErrorCode("too_slow")
    /// The whole load took longer than allowed.
    public static let timeoutTotal = ErrorCode("timeout_total")
    /// The decode took longer than allowed.
    public static let timeoutDecode = ErrorCode("timeout_decode")

    // The origin's response.
    /// More redirects than allowed, or a loop.
    public static let tooManyRedirects = ErrorCode("too_many_redirects")
    /// A redirect without a usable location.
    public static let invalidRedirect = ErrorCode("invalid_redirect")
    /// The response head is larger than allowed.
    public static let tooManyHeaderBytes = ErrorCode("too_many_header_bytes")
    /// The body is larger than allowed.
    public static let tooManyBytes = ErrorCode("too_many_bytes")
    /// The body ended before its announced length.
    public static let truncatedBody = ErrorCode("truncated_body")
    /// The response is not valid HTTP.
    public static let protocolError = ErrorCode("protocol_error")

    // The image.
    /// The bytes are not in a supported format, or use an unsupported variant of it.
    ///
    /// An example of such a variant is samples of 12 bits.
    public static let unsupportedFormat = ErrorCode("unsupported_format")
    /// The picture is damaged.
    public static let corruptImage = ErrorCode("corrupt_image")
    /// The picture ends too early.
    public static let truncatedImage = ErrorCode("truncated_image")
    /// The picture has more pixels than allowed.
    public static let tooManyPixels = ErrorCode("too_many_pixels")
    /// The caller does not want pictures of this size: ``ImageLimits/sizes``.
    public static let filteredSize = ErrorCode("filtered_size")
    /// A document about pictures is damaged, or has an unexpected structure.
    public static let invalidDocument = ErrorCode("invalid_document")
    /// The picture could not be encoded as requested.
    public static let encodeFailed = ErrorCode("encode_failed")
    /// A processor of the caller failed.
    public static let processorFailed = ErrorCode("processor_failed")

    // This machine.
    /// The request allows only cached data, and the cache does not have it.
    public static let notCached = ErrorCode("not_cached")
    /// None of the requested pictures could be loaded.
    public static let emptyResult = ErrorCode("empty_result")
    /// A file could not be read.
    public static let fileNotReadable = ErrorCode("file_not_readable")
    /// A file is shorter than before, or was replaced.
    public static let sourceChanged = ErrorCode("source_changed")
    /// A file could not be written.
    public static let storageFailed = ErrorCode("storage_failed")
    /// The request hook threw.
    public static let prepareFailed = ErrorCode("prepare_failed")
    /// The closure that provides a source threw.
    public static let providerFailed = ErrorCode("provider_failed")
    /// This machine or process has no file descriptor or memory left for the work; it may succeed later.
    ///
    /// The code says nothing about the source, the file or the server.
    public static let resourceShortage = ErrorCode("resource_shortage")
    /// The maximum number of requests is in progress.
    public static let tooManyRequests = ErrorCode("too_many_requests")
    /// The pipeline has ended.
    public static let pipelineClosed = ErrorCode("pipeline_closed")

    /// The code for an HTTP response that is not a picture, such as `http_404`.
    public static func http(status: Int) -> ErrorCode {
        ErrorCode(rawValue: "http_\(status)")
    }
}
