import CalotypeCodec
package import CalotypeCore
import CalotypeHTTP
import TaskFlow

/// A rendition, and what the origin of its source said about that.
package struct ServedRendition: Sendable {
    package var rendition: Rendition
    /// `nil` where the source came from no origin.
    package var standing: SourceStanding?
    /// Keeps the entity tag for as long as memory keeps the rendition; `nil` where that is not kept.
    package var tag: DerivedText?
    /// The cache that gave it without a load; `nil` where the observer was told of a load.
    package var unloaded: PipelineEvent.Origin?
}

/// What came of asking for a rendition that may be known already.
package enum ServedOrKnown: Sendable {
    case served(ServedRendition)
    /// What is made of this version is known.
    case known(SourceStanding)
}

/// A source that is held while something is made of it.
package struct HeldSource: Sendable {
    package let info: SourceInfo
    /// `nil` where it came from no origin.
    package let standing: SourceStanding?
    /// How a store helped.
    package let cache: CacheUse
    let version: SourceVersion?
}

/// What an origin said about the version of a source that was had.
package struct SourceStanding: Sendable {
    /// The value of its `ETag`.
    package let entityTag: String?
    /// The value of its `Last-Modified`, a date.
    package let lastModified: String?
    /// Its `Cache-Control`.
    package let cacheControl: CacheControl
    /// Whether what is made of it may be kept.
    package let isKeepable: Bool
    /// Whether it named an end of its lifetime (`Expires`).
    package let hasExpiry: Bool
    /// The end of its freshness (RFC 9111); in the past where it has none.
    package let freshUntil: WallTime
}

// For a face that hands pictures on, and tells whoever gets them how long they are good.
extension ImagePipeline {
    /// The rendition that `request` asks for, if memory has it and it may be taken as it is.
    ///
    /// It comes immediately, without a load of which the observer would be notified.
    package func servedFromMemory(_ query: inout PictureQuery) -> ServedRendition? {
        // A hook may make another request of it.
        guard configuration.prepare == nil, !hasEnded else { return nil }
        return pictures.cached(&query).map { found in
            var served = served((found.rendition, found.version), query.request)
            served.tag = found.tag
            served.unloaded = .memory
            return served
        }
    }

    /// The rendition that `request` asks for, if the store has it and it may be taken as it is.
    ///
    /// As with ``servedFromMemory(_:)``, it is no load: the observer is not notified, and the deadline is not watched. A
    /// look-up ends by itself within ``WriteBehind/patience``; if the deadline may be nearer than that the result is
    /// `nil`, and ``served(_:)`` has to be called.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    package func servedFromStore(_ query: inout PictureQuery) async throws -> ServedRendition? {
        guard mayAskStore(query.request), let found = try await pictures.stored(&query) else { return nil }
        var served = served((found.rendition, found.version), query.request)
        served.unloaded = .store
        return served
    }

    private func mayAskStore(_ request: ImageRequest) -> Bool {
        store != nil && configuration.prepare == nil && !hasEnded
            && (request.deadline.map { $0 - .now > WriteBehind.patience } ?? true)
    }

    /// Makes the rendition that `request` asks for, and tells what its origin said about it.
    ///
    /// - Throws: `LoadError`; `CancellationError` when the task is cancelled.
    package func served(_ request: ImageRequest) async throws -> ServedRendition {
        try await served(PictureQuery(request))
    }

    /// Makes the rendition that `query` asks for, without another look-up where it was not found a moment ago.
    ///
    /// - Throws: `LoadError`; `CancellationError` when the task is cancelled.
    package func served(_ query: PictureQuery) async throws -> ServedRendition {
        try await served(query, watch: nil)
    }

    private func served(_ query: PictureQuery, watch: SourceFeed.Observer?) async throws -> ServedRendition {
        let request = query.request
        return served(try await versioned(query, priority: LivePriority(request), watch: watch), request)
    }

    /// Runs `body` while the source of `request` is held, so that what `body` asks of the same source needs no second
    /// download.
    ///
    /// - Throws: `LoadError`; what `body` throws.
    package func holdingSource<Output: Sendable>(
        of request: ImageRequest,
        _ body: @escaping @Sendable (HeldSource) async throws -> Output
    ) async throws -> Output {
        let result: Result<Output, any Error> = try await perform(request) { request in
            let key = try SourceKey(request)
            let (source, origin) = try await sources.find(key, priority: LivePriority(request))
            defer { source.stay() }
            do {
                let facts = try await codec.facts(of: source.input)
                try request.limits.check(facts)
                let held = HeldSource(
                    info: SourceInfo(facts: facts, bytes: source.receipt.byteCount),
                    standing: source.receipt.version.map { standing($0, request) },
                    cache: source.receipt.cache,
                    version: source.receipt.version
                )
                return (await Result.of { try await body(held) }, origin)
            } catch let error as CalotypeError {
                throw source.receipt.failure(error)
            }
        }
        return try result.get()
    }

    private func served(
        _ made: (rendition: Rendition, version: SourceVersion?),
        _ request: ImageRequest
    ) -> ServedRendition {
        ServedRendition(
            rendition: made.rendition,
            standing: made.version.map { standing($0, request) }
        )
    }

    func standing(_ version: SourceVersion, _ request: ImageRequest) -> SourceStanding {
        SourceStanding(
            entityTag: version.response.validators.entityTag?.text,
            lastModified: version.response.validators.lastModified,
            cacheControl: version.response.cacheControl,
            isKeepable: version.isKeepable,
            hasExpiry: version.response.expiry != .unknown,
            freshUntil: judge.freshUntil(version, request.headers)
        )
    }
}

extension Result where Failure == any Error {
    /// What `body` returns or throws.
    fileprivate static func of(_ body: () async throws -> Success) async -> Self {
        do { return .success(try await body()) } catch { return .failure(error) }
    }
}

extension ImagePipeline {
    /// Makes the rendition that `query` asks for, unless `isKnown` says that the client has it already.
    ///
    /// It is asked as soon as the origin has told which version of the source it sends. If it is known, neither the rest of the
    /// source nor its decode is waited for; they end unless others wait for them, and the observer is told of a load that
    /// was cancelled.
    ///
    /// - Parameters:
    ///   - query: What is asked for.
    ///   - isKnown: Whether what is made of this version is known; it must be quick, and may be asked several times.
    /// - Returns: The rendition, or the version whose rendition is known.
    /// - Throws: `LoadError`; `CancellationError` when the task is cancelled.
    package func served(
        _ query: PictureQuery,
        unless isKnown: @escaping @Sendable (SourceStanding) -> Bool
    ) async throws -> ServedOrKnown {
        let request = query.request
        // A hook may make another request of it; and what is wrong with a URL is told by the load.
        guard configuration.prepare == nil, !hasEnded, let key = try? SourceKey(request),
            case .web(let url) = key.place
        else { return .served(try await served(query)) }
        let known = Guarded<SourceStanding?>(nil)
        let judge = { @Sendable (version: SourceVersion) -> Bool in
            // A validator means something only where it came from, and a redirect may lead elsewhere the next time.
            guard version.url == url.text, !version.isDetour, !version.response.validators.isEmpty else {
                return false
            }
            let standing = self.standing(version, request)
            guard isKnown(standing) else { return false }
            known.withLock { $0 = standing }
            return true
        }
        if let version = sources.heldVersion(key), judge(version), let standing = known.withLock({ $0 }) {
            return .known(standing)
        }
        let result = await watched(query, judge)
        if let standing = known.withLock({ $0 }), !Task.isCancelled { return .known(standing) }
        return .served(try result.get())
    }

    /// Makes the rendition until `ends` says of the version that it need not be.
    private func watched(
        _ query: PictureQuery,
        _ ends: @escaping @Sendable (SourceVersion) -> Bool
    ) async -> Result<ServedRendition, any Error> {
        let result = Guarded<Result<ServedRendition, any Error>>(.failure(CancellationError()))
        // A scope can be cancelled at once, by whoever tells the version: no byte is waited for after that.
        await withTaskScope(ending: .drain) { scope in
            let observer = SourceFeed.Observer(
                progress: { _ in },
                version: { if ends($0) { scope.cancelAll() } }
            )
            // A scope that has ended is one whose caller is cancelled, which is what the result says until there is one.
            _ = try? scope.start(name: "conditional load") {
                let made: Result<ServedRendition, any Error>
                do {
                    made = .success(try await self.served(query, watch: observer))
                } catch {
                    made = .failure(error)
                }
                result.withLock { $0 = made }
            }
        }
        return result.withLock { $0 }
    }
}

/// A text that is made of something kept, once, by the first who needs it.
package final class DerivedText: Sendable {
    private let made = Guarded<String??>(nil)

    package init() {}

    /// The text that `make` made the first time; `nil` where it could not make one.
    package func text(_ make: () -> String?) -> String? {
        if let text = made.withLock({ $0 }) { return text }
        // Outside the lock: two may make the same at once, and the first stays.
        let text = make()
        return made.withLock { made in
            if let made { return made }
            made = .some(text)
            return text
        }
    }
}
