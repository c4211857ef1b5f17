import CalotypeCodec
package import CalotypeCore
import CalotypeHTTP
import TaskFlow

/// The outcome of a request for a rendition that the client may have already.
package enum ServedOrKnown: Sendable {
    case served(Picture)
    /// The client has the rendition of this version.
    case known(Provenance)
}

/// A source that stays in memory while something is made from it.
package struct HeldSource: Sendable {
    package let info: SourceInfo
    package let provenance: Provenance
    /// How the cache helped.
    package let cache: CacheUse
    /// The number of requests for the source, without redirects.
    package let attempts: Int
    let input: CodecInput
    let disk: any TaskExecutor

    /// Reads the unchanged bytes of the source.
    ///
    /// - Throws: `file_not_readable`.
    package func bytes() async throws -> [UInt8] { try await input.bytes(on: disk) }
}

// For servers, which pass on pictures together with what their origins say about them.
extension ImagePipeline {
    /// Returns the rendition for `request` if memory has it and it needs no revalidation.
    ///
    /// The look-up is no load: it never suspends, and the observer is not notified.
    package func servedFromMemory(_ query: inout PictureQuery) -> Picture? {
        // A hook may change the request.
        guard configuration.prepare == nil, !hasEnded else { return nil }
        return pictures.cached(&query)
    }

    /// Whether ``servedFromMemory(_:)`` would return the same picture again, to which `kept` of that query refers.
    ///
    /// If so, it counts as another use of the picture. It takes no key, and is much faster.
    package func servesAgain(_ kept: KeptPicture) -> Bool {
        !hasEnded && pictures.cachedAgain(kept)
    }

    /// Returns the rendition for `request` if the store has it and it needs no revalidation.
    ///
    /// Like ``servedFromMemory(_:)``, this is no load: the observer is not notified, and the deadline is not
    /// enforced. A look-up ends by itself within ``WriteBehind/patience``. If the deadline may be earlier
    /// than that, the result is `nil`, and the caller must use ``served(_:)``.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    package func servedFromStore(_ query: inout PictureQuery) async throws -> Picture? {
        mayAskStore(query.request) ? try await pictures.stored(&query) : nil
    }

    private func mayAskStore(_ request: ImageRequest) -> Bool {
        store != nil && configuration.prepare == nil && !hasEnded
            && (request.deadline.map { $0 - .now > WriteBehind.patience } ?? true)
    }

    /// Makes the rendition for `request`.
    ///
    /// - Throws: `CalotypeError`; `CancellationError` if the task is cancelled.
    package func served(_ request: ImageRequest) async throws -> Picture {
        try await served(PictureQuery(request))
    }

    /// Makes the rendition for `query`, and skips the caches that it has just missed.
    ///
    /// - Throws: `CalotypeError`; `CancellationError` if the task is cancelled.
    package func served(_ query: PictureQuery) async throws -> Picture {
        try await picture(query, priority: LivePriority(query.request))
    }

    /// Runs `body` while the source of `request` is held.
    ///
    /// Requests of `body` for this source need no second download.
    ///
    /// - Throws: `CalotypeError`; what `body` throws.
    package func holdingSource<Output: Sendable>(
        of request: ImageRequest,
        _ body: @escaping @Sendable (HeldSource) async throws -> Output
    ) async throws -> Output {
        let result: Result<Output, any Error> = try await perform(request) { request in
            let key = try SourceKey(request)
            let (source, origin) = try await sources.find(key, priority: LivePriority(request))
            defer { source.stay() }
            let receipt = source.receipt
            do {
                let facts = try await codec.facts(of: source.input)
                try request.limits.check(facts)
                let held = HeldSource(
                    info: SourceInfo(facts: facts, bytes: receipt.byteCount),
                    provenance: judge.provenance(receipt.version, request.headers, from: origin),
                    cache: receipt.cache,
                    attempts: receipt.attempts,
                    input: source.input,
                    disk: disk
                )
                return (await Result.of { try await body(held) }, LoadResult(origin, receipt))
            } catch let error as CalotypeError {
                throw receipt.failure(error)
            }
        }
        return try result.get()
    }
}

extension Result where Failure == any Error {
    /// Returns what `body` returns or throws.
    fileprivate static func of(_ body: () async throws -> Success) async -> Self {
        do { return .success(try await body()) } catch { return .failure(error) }
    }
}

extension ImagePipeline {
    /// Makes the rendition for `query`, unless `isKnown` says that the client has it already.
    ///
    /// `isKnown` is called as soon as the origin has named the version of the source that it sends. If the
    /// client has the rendition of that version, this load waits neither for the rest of the source nor for
    /// its decode. They stop unless others wait for them, and the observer is notified of a cancelled load.
    ///
    /// - Parameters:
    ///   - query: The request.
    ///   - isKnown: Whether the client has what is made from this version. It must be quick, and may be
    ///     called several times.
    /// - Returns: The rendition, or the version whose rendition is known.
    /// - Throws: `CalotypeError`; `CancellationError` if the task is cancelled.
    package func served(
        _ query: PictureQuery,
        unless isKnown: @escaping @Sendable (SourceVersion) -> Bool
    ) async throws -> ServedOrKnown {
        let request = query.request
        // A hook may change the request; and the load reports what is wrong with a URL.
        guard configuration.prepare == nil, !hasEnded, let key = try? SourceKey(request),
            case .web(let url) = key.place
        else { return .served(try await served(query)) }
        let known = Guarded<Provenance?>(nil)
        let ends = { @Sendable (version: SourceVersion) -> Bool in
            // A validator means something only at its own URL, and a redirect may lead elsewhere the next time.
            guard version.url == url.text, !version.isDetour, !version.response.validators.isEmpty,
                isKnown(version)
            else { return false }
            let provenance = self.judge.provenance(version, request.headers, from: .own)
            known.withLock { $0 = provenance }
            return true
        }
        if let version = sources.heldVersion(key), ends(version), let provenance = known.withLock({ $0 }) {
            return .known(provenance)
        }
        let result = await watched(query, ends)
        if let provenance = known.withLock({ $0 }), !Task.isCancelled { return .known(provenance) }
        return .served(try result.get())
    }

    /// Makes the rendition, unless `ends` says of the source's version that there is no need to.
    private func watched(
        _ query: PictureQuery,
        _ ends: @escaping @Sendable (SourceVersion) -> Bool
    ) async -> Result<Picture, any Error> {
        let result = Guarded<Result<Picture, any Error>>(.failure(CancellationError()))
        // The observer can cancel a scope immediately, so the load waits for no byte after the head.
        await withTaskScope(ending: .drain) { scope in
            let observer = SourceFeed.Observer(
                progress: { _ in },
                version: { if ends($0) { scope.cancelAll() } }
            )
            // If the scope has ended, the caller is cancelled, which is what the initial result says.
            _ = try? scope.start(name: "conditional load") {
                let made: Result<Picture, any Error> = await .of {
                    try await self.picture(query, priority: LivePriority(query.request), watch: observer)
                }
                result.withLock { $0 = made }
            }
        }
        return result.withLock { $0 }
    }
}
