public import CalotypeCore
public import TaskFlow

/// The outcomes of a batch, as they come; failures are values.
///
/// Work starts at the first `next()`. Leaving the loop cancels what is under way at once, and the pipeline's scope awaits
/// it. A slow reader holds further loads back. When the reading task is cancelled the loop ends; loads that were cut
/// short by it have no outcome. Each iterator runs the whole batch. In a pipeline that has ended it is over with its first
/// request, whose outcome is `pipeline_closed`.
///
/// ``under(_:onCancellation:)`` and ``gather(_:onCancellation:)`` apply a ``BatchPolicy`` in place of handling each outcome.
public struct RenditionOutcomes<Key: Sendable>: AsyncSequence, Sendable {
    /// What became of one request.
    public typealias Element = RenditionOutcome<Key>
    /// Failures are values here.
    public typealias Failure = Never

    typealias Base = ConcurrentResults<KeyedRequest<Key>, Rendition, Never>

    let base: Base
    let pipeline: ImagePipeline
    /// The first request, to tell the outcome of where the pipeline had ended before.
    let first: @Sendable () -> KeyedRequest<Key>?

    /// Reads outcomes; dropping it cancels what is under way.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        var base: Base.Iterator
        let pipeline: ImagePipeline
        var first: (@Sendable () -> KeyedRequest<Key>?)?

        /// Whether the batch ended before its time because the pipeline did.
        var isCutShort: Bool { pipeline.hasEnded }

        /// Waits for the next outcome; `nil` after the last.
        public mutating func next() async -> RenditionOutcome<Key>? {
            await next(isolation: nil)
        }

        /// Waits for the next outcome on the caller's actor; `nil` after the last.
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

    /// Creates the iterator, which starts nothing yet.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: base.makeAsyncIterator(), pipeline: pipeline, first: first)
    }
}

/// One request of a batch and its caller's name for it.
struct KeyedRequest<Key: Sendable>: Sendable {
    let key: Key
    let request: ImageRequest
}

extension RenditionOutcome {
    /// The outcome of a load that was not cut short.
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

/// What became of one request of a batch.
public struct RenditionOutcome<Key: Sendable>: Sendable {
    /// The request's place in the batch, from 0.
    public let index: Int
    /// The caller's name for the request; its place where the caller gave none.
    public let key: Key
    /// The request itself.
    public let request: ImageRequest
    /// The rendition, or why there is none.
    public let result: Result<Rendition, CalotypeError>
}

extension ImagePipeline {
    /// Makes the renditions that `requests` ask for, `limit` at a time, and gives each outcome as it comes.
    ///
    /// - Parameters:
    ///   - requests: what is wanted; read as far as needed.
    ///   - limit: how many loads are under way at a time, at least one; the pipeline's gates bound them too.
    ///   - order: of the outcomes, by completion unless asked otherwise.
    /// - Returns: the outcomes, one for each request; a key is the request's place.
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

    /// Makes the renditions that `requests` ask for under names of the caller's, `limit` at a time.
    ///
    /// ```swift
    /// let avatars = try await pipeline.renditions(forKeyed: requestsByUser).gather()
    /// ```
    ///
    /// - Parameters:
    ///   - requests: what is wanted, by key, such as a dictionary; read as far as needed.
    ///   - limit: how many loads are under way at a time, at least one; the pipeline's gates bound them too.
    ///   - order: of the outcomes, by completion unless asked otherwise.
    /// - Returns: the outcomes, one for each request, with its key.
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

/// A sequence whose elements are made of those of another and their places.
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
