public import CalotypeCore
public import TaskFlow

/// The outcomes of a batch as they finish.
///
/// Failures are values.
///
/// Work starts at the first `next()`. Leaving the loop cancels the remaining work immediately, and the
/// pipeline's scope awaits it. A slow reader delays further loads. If the reading task is cancelled, the loop
/// ends, and interrupted loads have no outcome. Each iterator runs the whole batch. In a pipeline that has
/// ended, the batch ends with its first request, whose outcome is `pipeline_closed`.
///
/// To apply a ``BatchPolicy`` instead of handling each outcome, use ``under(_:onCancellation:)`` or
/// ``gather(_:onCancellation:)``.
public struct RenditionOutcomes<Key: Sendable>: AsyncSequence, Sendable {
    /// The outcome of one request.
    public typealias Element = RenditionOutcome<Key>
    /// Failures are values here.
    public typealias Failure = Never

    typealias Base = ConcurrentResults<KeyedRequest<Key>, Rendition, Never>

    let base: Base
    let pipeline: ImagePipeline
    /// Returns the first request, whose outcome is reported if the pipeline had ended before.
    let first: @Sendable () -> KeyedRequest<Key>?

    /// Reads outcomes.
    ///
    /// Releasing it cancels the remaining work.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        var base: Base.Iterator
        let pipeline: ImagePipeline
        var first: (@Sendable () -> KeyedRequest<Key>?)?

        /// Whether the batch ended early because the pipeline ended.
        var isCutShort: Bool { pipeline.hasEnded }

        /// Returns the next outcome, or `nil` at the end.
        public mutating func next() async -> RenditionOutcome<Key>? {
            await next(isolation: nil)
        }

        /// Returns the next outcome on the caller's actor, or `nil` at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> RenditionOutcome<Key>? {
            defer { first = nil }
            if pipeline.hasEnded, let request = first?() {
                return RenditionOutcome(
                    index: 0,
                    key: request.key,
                    request: request.request,
                    result: .failure(ImagePipeline.closedError)
                )
            }
            while let result = await base.next(isolation: actor) {
                if let outcome = RenditionOutcome(result) { return outcome }
            }
            return nil
        }
    }

    /// Creates the iterator.
    ///
    /// No work starts yet.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: base.makeAsyncIterator(), pipeline: pipeline, first: first)
    }
}

/// One request of a batch, with the caller's key.
struct KeyedRequest<Key: Sendable>: Sendable {
    let key: Key
    let request: ImageRequest
}

extension RenditionOutcome {
    /// Creates the outcome of a load, or returns `nil` if the load was interrupted.
    init?(_ result: ConcurrentResult<KeyedRequest<Key>, Rendition>) {
        let rendition: Result<Rendition, CalotypeError>
        switch result.result {
        case .success(let made): rendition = .success(made)
        case .failure(let error as CalotypeError): rendition = .failure(error)
        case .failure: return nil
        }
        self.init(
            index: result.index,
            key: result.input.key,
            request: result.input.request,
            result: rendition
        )
    }
}

/// The outcome of one request of a batch.
public struct RenditionOutcome<Key: Sendable>: Sendable {
    /// The request's position in the batch, from 0.
    public let index: Int
    /// The caller's key for the request; its position if the caller passed no keys.
    public let key: Key
    /// The request itself.
    public let request: ImageRequest
    /// The rendition, or the error.
    public let result: Result<Rendition, CalotypeError>
}

extension ImagePipeline {
    /// Creates the renditions for `requests`, and returns each outcome as it finishes.
    ///
    /// - Parameters:
    ///   - requests: the requests; read incrementally.
    ///   - limit: the maximum number of loads in progress, at least one. The pipeline's gates also limit
    ///     them.
    ///   - order: the order of the outcomes, by completion by default.
    /// - Returns: one outcome for each request. The key is the request's position.
    public func renditions(
        for requests: some Sequence<ImageRequest> & Sendable,
        limit: Int = 64,
        order: ResultOrder = .completion
    ) -> RenditionOutcomes<Int> {
        outcomes(
            of: Numbered(base: requests) { KeyedRequest(key: $0, request: $1) },
            limit: limit,
            order: order
        )
    }

    /// Creates the renditions for `requests` under the caller's keys, at most `limit` at a time.
    ///
    /// ```swift
    /// let avatars = try await pipeline.renditions(forKeyed: requestsByUser).gather()
    /// ```
    ///
    /// - Parameters:
    ///   - requests: the requests by key, such as a dictionary; read incrementally.
    ///   - limit: the maximum number of loads in progress, at least one. The pipeline's gates also limit
    ///     them.
    ///   - order: the order of the outcomes, by completion by default.
    /// - Returns: one outcome for each request, with its key.
    public func renditions<Key: Sendable>(
        forKeyed requests: some Sequence<(key: Key, value: ImageRequest)> & Sendable,
        limit: Int = 64,
        order: ResultOrder = .completion
    ) -> RenditionOutcomes<Key> {
        outcomes(
            of: Numbered(base: requests) { KeyedRequest(key: $1.key, request: $1.value) },
            limit: limit,
            order: order
        )
    }

    private func outcomes<Key: Sendable>(
        of requests: some Sequence<KeyedRequest<Key>> & Sendable,
        limit: Int,
        order: ResultOrder
    ) -> RenditionOutcomes<Key> {
        let base = requests.concurrentResults(limit: limit, order: order, in: scope, name: "load") {
            try await self.rendition(for: $0.request)
        }
        return RenditionOutcomes(base: base, pipeline: self) { requests.first { _ in true } }
    }
}

/// A sequence that combines each element of another with its position.
private struct Numbered<Base: Sequence & Sendable, Element>: Sequence, Sendable {
    let base: Base
    let make: @Sendable (Int, Base.Element) -> Element

    func makeIterator() -> AnyIterator<Element> {
        var base = base.makeIterator()
        var index = 0
        return AnyIterator {
            defer { index += 1 }
            return base.next().map { make(index, $0) }
        }
    }
}
