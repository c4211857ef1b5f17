public import CalotypeCore
import CalotypeHTTP

/// Why a catalogue has no answer; cancellation stays `CancellationError`.
///
/// None of these is ever taken for "there are no results", and none is remembered.
public struct CatalogError: Error, Sendable, CustomStringConvertible {
    /// The stable word for what went wrong: one of the catalogue's own, or the pipeline's, such as `http_503`.
    public var code: ErrorCode
    /// What happened and what can be done, for people.
    public var message: String
    /// The URL that was asked, without user name and password; `nil` where none was.
    public var url: String?
    /// When to ask again, from now on; `nil` where nobody can tell.
    public var retryAfter: Duration?
    /// The error below this one, if there is one.
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
    /// The service was asked too often, or says so; ``CatalogError/retryAfter`` tells when it may be asked again.
    public static let rateLimited = ErrorCode(rawValue: "rate_limited")
    /// The answer is something else than JSON, such as a page of HTML.
    public static let notJSON = ErrorCode(rawValue: "not_json")
    /// The store has no app of this number in this country.
    public static let noSuchApp = ErrorCode(rawValue: "no_such_app")
    /// The query makes no sense, such as one without words.
    public static let invalidQuery = ErrorCode(rawValue: "invalid_query")
    /// The closure that searches in an App Store's place threw.
    public static let searchFailed = ErrorCode(rawValue: "search_failed")
    /// The text is no JSON path that is read.
    public static let invalidPath = ErrorCode(rawValue: "invalid_path")
}

extension CatalogError {
    /// The pipeline's error as a catalogue's.
    init(_ error: CalotypeError) {
        self.init(error.code, error.message, url: error.url, cause: error)
    }

    /// Whatever a search threw.
    init(any error: any Error) {
        switch error {
        case let error as CatalogError: self = error
        case let error as CalotypeError: self.init(error)
        case let failure as LoadError: self.init(failure.error)
        default: self.init(.searchFailed, "the search failed: \(error)", cause: error)
        }
    }

    /// The same error with the URL it concerns, without credentials, unless it names one already.
    func at(_ url: String) -> CatalogError {
        guard self.url == nil else { return self }
        var copy = self
        // What is no URL is what the error is about.
        copy.url = try? WebURL(url).text
        return copy
    }

    static var pipelineClosed: CatalogError {
        CatalogError(.pipelineClosed, "the pipeline's scope has ended")
    }
}
