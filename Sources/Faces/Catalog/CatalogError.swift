public import CalotypeCore
import CalotypeHTTP

/// An error of a catalogue; cancellation stays `CancellationError`.
///
/// A catalogue never treats an error as "no results", and never caches it.
public struct CatalogError: Error, Sendable, CustomStringConvertible {
    /// The stable error code: one of the catalogue's own, or the pipeline's, such as `http_503`.
    public var code: ErrorCode
    /// What happened and what to do.
    public var message: String
    /// The requested URL, without user name and password; `nil` if there was none.
    public var url: String?
    /// The time after which to try again; `nil` if unknown.
    public var retryAfter: Duration?
    /// The underlying error, if any.
    public var cause: (any Error)?

    /// Creates an error.
    public init(
        _ code: ErrorCode,
        _ message: String,
        url: String? = nil,
        retryAfter: Duration? = nil,
        cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.url = url
        self.retryAfter = retryAfter
        self.cause = cause
    }

    /// The code, the message and the URL on one line.
    public var description: String {
        "\(code): \(message)" + (url.map { " (\($0))" } ?? "")
    }
}

extension ErrorCode {
    /// There were too many requests to the service; see ``CatalogError/retryAfter``.
    public static let rateLimited = ErrorCode(rawValue: "rate_limited")
    /// The response is not JSON, but for example an HTML page.
    public static let notJSON = ErrorCode(rawValue: "not_json")
    /// The country's store has no app with this ID.
    public static let noSuchApp = ErrorCode(rawValue: "no_such_app")
    /// The query is invalid, such as an empty search.
    public static let invalidQuery = ErrorCode(rawValue: "invalid_query")
    /// The closure of a custom search threw an error.
    public static let searchFailed = ErrorCode(rawValue: "search_failed")
    /// The text is not a supported JSON path.
    public static let invalidPath = ErrorCode(rawValue: "invalid_path")
}

extension CatalogError {
    /// Creates a catalogue's error from a pipeline's error.
    init(_ error: CalotypeError) {
        self.init(error.code, error.message, url: error.url, cause: error)
    }

    /// Creates an error from any error of a search.
    init(any error: any Error) {
        switch error {
        case let error as CatalogError: self = error
        case let error as CalotypeError: self.init(error)
        default: self.init(.searchFailed, "the search failed: \(error)", cause: error)
        }
    }

    /// Returns the error with a URL, without credentials, unless it has one already.
    func at(_ url: String) -> CatalogError {
        guard self.url == nil else { return self }
        var copy = self
        // An invalid URL is what the error is about.
        copy.url = try? WebURL(url).text
        return copy
    }

    static var pipelineClosed: CatalogError {
        CatalogError(.pipelineClosed, "the pipeline's scope has ended")
    }
}
