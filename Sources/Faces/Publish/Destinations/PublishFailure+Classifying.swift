internal import CalotypeCore
internal import CalotypeHTTP

extension PublishFailure {
    /// What an error means that is not a destination's own.
    ///
    /// Its URL is told without the query, in which a signature may be.
    ///
    /// - Parameters:
    ///   - error: What was thrown.
    ///   - isPost: Whether it was thrown by the request that publishes, which must not be sent twice.
    init(_ error: any Error, isPost: Bool = false) {
        switch error {
        case let failure as PublishFailure: self.init(failure.error.withoutQuery, failure.remedy)
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
            throw PublishFailure(told.withoutQuery, .settle)
        }
    }

    private static func elsewhere(_ error: any Error, than url: WebURL) -> CalotypeError? {
        guard let told = (error as? PublishFailure)?.error ?? error as? CalotypeError else { return nil }
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
