public import CalotypeCore

/// The renditions of a batch under a policy, as they come.
///
/// Reading throws `CalotypeError` as the policy says, `pipeline_closed` when the pipeline ended before the batch, and
/// `CancellationError` when the reading task is cancelled, unless the partial result was asked for.
public struct RenditionBatch<Key: Sendable>: AsyncSequence, Sendable {
    /// One rendition of a batch.
    public struct Element: Sendable {
        /// The request's place in the batch, from 0.
        public let index: Int
        /// The caller's name for the request; its place where the caller gave none.
        public let key: Key
        /// The request itself.
        public let request: ImageRequest
        /// What was made for it.
        public let rendition: Rendition
    }

    /// What the policy throws.
    public typealias Failure = any Error

    let outcomes: RenditionOutcomes<Key>
    let policy: BatchPolicy
    let cancellation: BatchCancellation

    /// Reads renditions; dropping it cancels what is under way.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        /// Nil once the batch is over.
        private var base: RenditionOutcomes<Key>.Iterator?
        private let policy: BatchPolicy
        private let cancellation: BatchCancellation
        private var isEmpty = true
        private var lastFailure: CalotypeError?

        init(_ batch: RenditionBatch) {
            base = batch.outcomes.makeAsyncIterator()
            policy = batch.policy
            cancellation = batch.cancellation
        }

        /// Waits for the next rendition; `nil` after the last.
        public mutating func next() async throws -> Element? {
            try await next(isolation: nil)
        }

        /// Waits for the next rendition on the caller's actor; `nil` after the last.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
            while let outcome = await base?.next(isolation: actor) {
                switch outcome.result {
                case .success(let rendition):
                    isEmpty = false
                    return Element(
                        index: outcome.index,
                        key: outcome.key,
                        request: outcome.request,
                        rendition: rendition
                    )
                case .failure(let error): try take(error)
                }
            }
            try end()
            return nil
        }

        private mutating func take(_ error: CalotypeError) throws {
            lastFailure = error
            guard policy == .failFast else { return }
            base = nil
            throw error
        }

        private mutating func end() throws {
            guard let ended = base else { return }
            base = nil
            if Task.isCancelled {
                guard cancellation == .throwError else { return }
                throw CancellationError()
            }
            if ended.isCutShort { throw ImagePipeline.closedError }
            guard policy == .requireAny, isEmpty else { return }
            throw CalotypeError(
                .emptyResult,
                "none of the pictures could be loaded"
                    + (lastFailure.map { "; the last failed with \($0.code)" } ?? ""),
                stage: .request,
                cause: lastFailure
            )
        }
    }

    /// Creates the iterator, which starts nothing yet.
    public func makeAsyncIterator() -> Iterator {
        Iterator(self)
    }
}

extension RenditionOutcomes {
    /// The same batch, with failures and cancellation treated as asked.
    ///
    /// - Parameters:
    ///   - policy: what failures do.
    ///   - cancellation: what cancelling the reading task does.
    /// - Returns: a sequence of renditions alone, which throws.
    public func under(
        _ policy: BatchPolicy,
        onCancellation cancellation: BatchCancellation = .throwError
    ) -> RenditionBatch<Key> {
        RenditionBatch(outcomes: self, policy: policy, cancellation: cancellation)
    }

    /// Runs the batch to its end and gathers the renditions by their keys.
    ///
    /// Of several requests with equal keys, the rendition that comes last stays.
    ///
    /// - Parameters:
    ///   - policy: what failures do; they are left out unless asked otherwise.
    ///   - cancellation: what cancelling the task does; it throws unless asked otherwise.
    /// - Returns: what was loaded.
    /// - Throws: as ``RenditionBatch`` does.
    public func gather(
        _ policy: BatchPolicy = .skipFailures,
        onCancellation cancellation: BatchCancellation = .throwError
    ) async throws -> [Key: Rendition] where Key: Hashable {
        var gathered: [Key: Rendition] = [:]
        for try await element in under(policy, onCancellation: cancellation) {
            gathered[element.key] = element.rendition
        }
        return gathered
    }
}

/// What the failures in a batch do to it.
public enum BatchPolicy: Hashable, Sendable {
    /// Failures are left out.
    case skipFailures
    /// The first failure is thrown, and what is under way is cancelled.
    case failFast
    /// Failures are left out; `empty_result` is thrown at the end when nothing was loaded.
    case requireAny
}

/// What cancelling the reading task does to a batch.
public enum BatchCancellation: Hashable, Sendable {
    /// `CancellationError` is thrown.
    case throwError
    /// The batch ends with what it has.
    case returnPartial
}
