public import CalotypeCore
public import TaskFlow

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
