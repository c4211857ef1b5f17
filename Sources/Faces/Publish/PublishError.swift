public import CalotypeCore
internal import CalotypeHTTP

/// An attempt's failure, and its remedy.
public struct PublishError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The remedy for a failure.
    public enum Remedy: Hashable, Sendable {
        /// There is none: the publication fails.
        case none
        /// Try again after a pause.
        case retry
        /// Try again at the time that the server asked for, or after a pause if it gave no time.
        ///
        /// Until then, nothing else of the publication is sent.
        case wait(Duration?)
        /// The server is busy with this very request: try again soon.
        ///
        /// That does not count as an attempt.
        case busy
        /// The server no longer has the upload: discard the stored state, and start over.
        case startOver
        /// The post may or may not be published: find out with the next attempt.
        case settle
    }

    /// The error.
    public let error: CalotypeError
    /// The remedy.
    public let remedy: Remedy

    /// Creates a failure.
    public init(_ error: CalotypeError, _ remedy: Remedy) {
        self.error = error
        self.remedy = remedy
    }

    /// The error's description.
    public var description: String { error.description }

    /// Whether remedy, code and message are equal.
    public static func == (lhs: PublishError, rhs: PublishError) -> Bool {
        lhs.remedy == rhs.remedy && lhs.error.code == rhs.error.code && lhs.error.message == rhs.error.message
    }

    /// Hashes the remedy and the code.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(remedy)
        hasher.combine(error.code)
    }
}

extension PublishError {
    /// Classifies an error that is not a destination's own.
    ///
    /// The error's URL loses its query, which may contain a signature.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - isPost: Whether the failed request was the one that publishes, which must not be sent twice.
    init(_ error: any Error, isPost: Bool = false) {
        switch error {
        case let failure as PublishError: self.init(failure.error.withoutQuery, failure.remedy)
        case let error as CalotypeError:
            self.init(error.withoutQuery, isPost ? Self.remedyOfPost(error) : Self.remedy(error))
        default:
            self.init(
                CalotypeError(.protocolError, "\(error)", stage: .response, cause: error),
                isPost ? .settle : .none
            )
        }
    }

    /// Runs `send`, which sends the publishing request to `url`.
    ///
    /// A failure after a redirect says nothing about the post: the server that redirected may have published
    /// it.
    ///
    /// - Throws: A failure to be settled if the request to another URL failed; what `send` throws.
    static func settlingRedirects(
        from url: WebURL,
        _ send: () async throws -> PublishResponse
    ) async throws -> PublishResponse {
        do {
            return try await send()
        } catch {
            guard let told = elsewhere(error, than: url) else { throw error }
            throw PublishError(told.withoutQuery, .settle)
        }
    }

    private static func elsewhere(_ error: any Error, than url: WebURL) -> CalotypeError? {
        guard let told = (error as? PublishError)?.error ?? error as? CalotypeError else { return nil }
        // The request's own URL has been parsed, so an invalid one is a redirect's.
        if [.invalidURL, .unsupportedScheme].contains(told.code) { return told }
        guard let place = told.url, place != url.text, place != url.withoutQuery else { return nil }
        return told
    }

    private static func remedy(_ error: CalotypeError) -> Remedy {
        beforeSending.contains(error.code) || passing.contains(error.code) ? .retry : .none
    }

    /// Once a response has begun, or a redirect is not followed, the request has arrived.
    private static func remedyOfPost(_ error: CalotypeError) -> Remedy {
        if beforeSending.contains(error.code) { return .retry }
        let hasArrived = error.stage == .response || error.stage == .body
        return hasArrived || passing.contains(error.code) ? .settle : .none
    }

    /// No byte of the request can have been sent.
    private static let beforeSending: Set<ErrorCode> = [
        .connectFailed, .timeoutConnect, .dnsFailed, .proxyFailed,
    ]
    /// The request may have arrived.
    private static let passing: Set<ErrorCode> = [
        .connectionReset, .timeoutHeaders, .timeoutIdle, .timeoutTotal, .tooSlow, .truncatedBody,
        .protocolError, .tooManyBytes, .tooManyHeaderBytes, .invalidDocument,
    ]
}

extension CalotypeError {
    fileprivate var withoutQuery: CalotypeError {
        var copy = self
        copy.url = url?.urlWithoutQuery
        return copy
    }
}

extension ErrorCode {
    /// The server does not accept such a post or medium.
    public static let postRefused = ErrorCode(rawValue: "post_refused")
    /// The same post was published there before.
    public static let alreadyPublished = ErrorCode(rawValue: "already_published")
    /// The same post was begun there before, and can be resumed.
    public static let publishUnfinished = ErrorCode(rawValue: "publish_unfinished")
    /// The journal has no publication of the post that could be resumed.
    public static let nothingToResume = ErrorCode(rawValue: "nothing_to_resume")
    /// Another process works on the same publication.
    public static let publishBusy = ErrorCode(rawValue: "publish_busy")
    /// Whether the post is published cannot be determined now.
    public static let outcomeUnknown = ErrorCode(rawValue: "outcome_unknown")
    /// The post is published, but the journal could not record it.
    public static let publishedNotRecorded = ErrorCode(rawValue: "published_not_recorded")
    /// The outcome of the post is known, so there is nothing to settle.
    public static let outcomeKnown = ErrorCode(rawValue: "outcome_known")
    /// The server accepted a medium, but has something else in its place, or nothing.
    public static let notStored = ErrorCode(rawValue: "not_stored")
    /// The server lost an upload repeatedly.
    public static let uploadLost = ErrorCode(rawValue: "upload_lost")
    /// The server did not finish processing a medium in time.
    public static let processingTimeout = ErrorCode(rawValue: "processing_timeout")
    /// The server accepted a medium, but cannot use it.
    public static let processingFailed = ErrorCode(rawValue: "processing_failed")
    /// The server rejects the credentials.
    public static let unauthorized = ErrorCode(rawValue: "unauthorized")
    /// There is no WordPress at the site's address.
    public static let notWordPress = ErrorCode(rawValue: "not_wordpress")
    /// The site has moved to another address.
    public static let siteMoved = ErrorCode(rawValue: "site_moved")
    /// The user lacks a permission that publishing needs.
    public static let notAllowed = ErrorCode(rawValue: "not_allowed")
    /// The media or the result are not available yet.
    ///
    /// The post was to be sent before all its media were ready, or its result was read before it was
    /// published.
    public static let mediaMissing = ErrorCode(rawValue: "media_missing")
}
