public import CalotypeCore
internal import CalotypeHTTP

/// Why an attempt failed, and what helps.
public struct PublishError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What to do about a failure.
    public enum Remedy: Hashable, Sendable {
        /// Nothing helps: the publication fails.
        case none
        /// Another attempt after a pause.
        case retry
        /// Another attempt when the server wants it, and nothing else of the publication before that; after a pause where
        /// it told no time.
        case wait(Duration?)
        /// The server is busy with this very thing: ask again soon. It does not count as an attempt.
        case busy
        /// The server does not have the upload any more: what was remembered is void, start over.
        case startOver
        /// The post may be published or not: find out with the next attempt.
        case settle
    }

    /// What happened.
    public let error: CalotypeError
    /// What helps.
    public let remedy: Remedy

    /// Creates a failure.
    public init(_ error: CalotypeError, _ remedy: Remedy) {
        self.error = error
        self.remedy = remedy
    }

    /// What happened.
    public var description: String { error.description }

    /// Whether remedy, code and message are the same.
    public static func == (lhs: PublishError, rhs: PublishError) -> Bool {
        lhs.remedy == rhs.remedy && lhs.error.code == rhs.error.code && lhs.error.message == rhs.error.message
    }

    /// Hashes remedy and code.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(remedy)
        hasher.combine(error.code)
    }
}

extension PublishError {
    /// What an error means that is not a destination's own.
    ///
    /// Its URL is told without the query, in which a signature may be.
    ///
    /// - Parameters:
    ///   - error: What was thrown.
    ///   - isPost: Whether it was thrown by the request that publishes, which must not be sent twice.
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

    /// Runs `send`, which sends the request that publishes to `url`.
    ///
    /// What fails behind a redirect tells nothing about the post: the server that redirected may have published it.
    ///
    /// - Throws: A failure to be settled where another URL failed; what `send` throws.
    static func settlingRedirects(
        from url: WebURL,
        _ send: () async throws -> PublishAnswer
    ) async throws -> PublishAnswer {
        do {
            return try await send()
        } catch {
            guard let told = elsewhere(error, than: url) else { throw error }
            throw PublishError(told.withoutQuery, .settle)
        }
    }

    private static func elsewhere(_ error: any Error, than url: WebURL) -> CalotypeError? {
        guard let told = (error as? PublishError)?.error ?? error as? CalotypeError else { return nil }
        // The request's own URL has been parsed: one that is none is a redirect's.
        if [.invalidURL, .unsupportedScheme].contains(told.code) { return told }
        guard let place = told.url, place != url.text, place != url.withoutQuery else { return nil }
        return told
    }

    private static func remedy(_ error: CalotypeError) -> Remedy {
        beforeSending.contains(error.code) || passing.contains(error.code) ? .retry : .none
    }

    /// Once an answer has begun, or a redirect that is not followed, the request has arrived.
    private static func remedyOfPost(_ error: CalotypeError) -> Remedy {
        if beforeSending.contains(error.code) { return .retry }
        let hasArrived = error.stage == .response || error.stage == .body
        return hasArrived || passing.contains(error.code) ? .settle : .none
    }

    /// No byte of the request can have left.
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
    /// The server does not take such a post, or such a medium.
    public static let postRefused = ErrorCode(rawValue: "post_refused")
    /// The same post was published there before.
    public static let alreadyPublished = ErrorCode(rawValue: "already_published")
    /// The same post was begun there before, and can be resumed.
    public static let publishUnfinished = ErrorCode(rawValue: "publish_unfinished")
    /// The journal has nothing of the post that could be resumed.
    public static let nothingToResume = ErrorCode(rawValue: "nothing_to_resume")
    /// Another process works on the same publication.
    public static let publishBusy = ErrorCode(rawValue: "publish_busy")
    /// Whether the post is published cannot be found out now.
    public static let outcomeUnknown = ErrorCode(rawValue: "outcome_unknown")
    /// The post is published, and the journal could not be written to say so.
    public static let publishedNotRecorded = ErrorCode(rawValue: "published_not_recorded")
    /// What became of the post is known, so that nothing is to be settled.
    public static let outcomeKnown = ErrorCode(rawValue: "outcome_known")
    /// The server took a medium, and has something else at its place, or nothing.
    public static let notStored = ErrorCode(rawValue: "not_stored")
    /// The server lost an upload again and again.
    public static let uploadLost = ErrorCode(rawValue: "upload_lost")
    /// The server did not end its work on a medium in time.
    public static let processingTimeout = ErrorCode(rawValue: "processing_timeout")
    /// The server took a medium, and cannot use it.
    public static let processingFailed = ErrorCode(rawValue: "processing_failed")
    /// The server refuses the credentials.
    public static let unauthorized = ErrorCode(rawValue: "unauthorized")
    /// No WordPress answers at the site's address.
    public static let notWordPress = ErrorCode(rawValue: "not_wordpress")
    /// The site's address is another one.
    public static let siteMoved = ErrorCode(rawValue: "site_moved")
    /// The user may not do what publishing takes.
    public static let notAllowed = ErrorCode(rawValue: "not_allowed")
    /// The post was to be sent before all its media were ready, or its result asked for before it was published.
    public static let mediaMissing = ErrorCode(rawValue: "media_missing")
}
