public import CalotypeCore

/// The renditions of a batch as they finish, under a policy for failures.
///
/// Reading throws `CalotypeError` as the policy says, `pipeline_closed` if the pipeline ended before the
/// batch, and `CancellationError` if the reading task is cancelled, unless the caller chose a partial result.
public struct RenditionBatch<Key: Sendable>: AsyncSequence, Sendable {
    /// One rendition of a batch.
    public struct Element: Sendable {
        /// The request's position in the batch, from 0.
        public let index: Int
        /// The caller's key for the request; its position if the caller passed no keys.
        public let key: Key
        /// The request itself.
        public let request: ImageRequest
        /// The rendition for the request.
        public let rendition: Rendition
    }

    /// The errors depend on the policy.
    public typealias Failure = any Error

    let outcomes: RenditionOutcomes<Key>
    let policy: BatchPolicy
    let cancellation: BatchCancellation

    /// Reads renditions.
    ///
    /// Releasing it cancels the remaining work.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        /// `nil` after the end of the batch.
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

        /// Returns the next rendition, or `nil` at the end.
        public mutating func next() async throws -> Element? {
            try await next(isolation: nil)
        }

        /// Returns the next rendition on the caller's actor, or `nil` at the end.
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
                "none of the images could be loaded"
                    + (lastFailure.map { "; the last one failed with \($0.code)" } ?? ""),
                stage: .request,
                cause: lastFailure
            )
        }
    }

    /// Creates the iterator.
    ///
    /// No work starts yet.
    public func makeAsyncIterator() -> Iterator {
        Iterator(self)
    }
}

extension RenditionOutcomes {
    /// Returns this batch with a policy for failures and cancellation.
    ///
    /// - Parameters:
    ///   - policy: how the batch handles failures.
    ///   - cancellation: how the batch ends when the reading task is cancelled.
    /// - Returns: a throwing sequence of renditions.
    public func under(
        _ policy: BatchPolicy,
        onCancellation cancellation: BatchCancellation = .throwError
    ) -> RenditionBatch<Key> {
        RenditionBatch(outcomes: self, policy: policy, cancellation: cancellation)
    }

    /// Runs the batch to its end and collects the renditions by key.
    ///
    /// If several requests have the same key, the rendition that finishes last is returned.
    ///
    /// - Parameters:
    ///   - policy: how to handle failures; leaves them out by default.
    ///   - cancellation: how to handle cancellation of the task; throws by default.
    /// - Returns: the renditions that were loaded.
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

/// How a batch handles failures.
public enum BatchPolicy: Hashable, Sendable {
    /// Leaves failures out.
    case skipFailures
    /// Throws the first failure and cancels the remaining work.
    case failFast
    /// Leaves failures out, but throws `empty_result` at the end if nothing was loaded.
    case requireAny
}

/// How a batch ends when the reading task is cancelled.
public enum BatchCancellation: Hashable, Sendable {
    /// Throws `CancellationError`.
    case throwError
    /// Ends with the results so far.
    case returnPartial
}
