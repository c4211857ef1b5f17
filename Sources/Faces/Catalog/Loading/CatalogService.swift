import Calotype
import CalotypeCore
import TaskFlow

/// How one service is asked: when it may be, and what its refusals mean.
final class CatalogService: Sendable {
    private let gate: CallGate?
    /// Whether 403 without a body means that it was asked too often, as it does at the App Store.
    private let refusesByForbidding: Bool

    init(_ gate: CallGate?, refusesByForbidding: Bool = false) {
        self.gate = gate
        self.refusesByForbidding = refusesByForbidding
    }

    /// Loads what is at `url`, once it may be asked for; what is stored and fresh may always be.
    ///
    /// - Throws: `CatalogError`, also what `read` throws; `CancellationError`.
    func document<Value: Sendable>(
        at url: String,
        through pipeline: ImagePipeline,
        _ configuration: CatalogConfiguration,
        read: @escaping @Sendable ([UInt8]) throws -> Value
    ) async throws -> Document<Value> {
        var request = DocumentRequest(url)
        // Somebody waits for it who does not know yet what pictures there are.
        request.priority = .high
        request.cachePolicy = configuration.cachePolicy
        request.addressPolicy = configuration.addressPolicy
        request.limit = configuration.documentLimit
        do {
            if try await !pipeline.answersUnasked(request) { try await gate?.enter() }
            return try await pipeline.document(for: request, read: read)
        } catch let failure as LoadFailure {
            throw translated(failure)
        }
    }

    private func translated(_ failure: LoadFailure) -> CatalogError {
        let error = failure.error
        if let answer = failure.answer, isRateLimit(answer) {
            var limited = CatalogError.rateLimited(for: pause(after: answer))
            limited.url = error.url
            limited.cause = error
            return limited
        }
        return CatalogError(
            error.code,
            error.message,
            url: error.url,
            retryAfter: failure.answer?.retryAfter,
            cause: error
        )
    }

    /// How long the service is left alone now; `nil` where nobody can tell.
    private func pause(after answer: OriginAnswer) -> Duration? {
        gate?.close(for: answer.retryAfter) ?? answer.retryAfter
    }

    /// A page that comes with 403 says something else: it is no refusal for a while.
    private func isRateLimit(_ answer: OriginAnswer) -> Bool {
        if answer.status == 429 { return true }
        return answer.status == 403 && refusesByForbidding && (answer.bodyBytes?.bytes ?? 0) == 0
    }
}
