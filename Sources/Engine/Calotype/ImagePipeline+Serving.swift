import CalotypeCodec
package import CalotypeCore
import CalotypeHTTP
import TaskFlow

// For a face that hands pictures on, and tells whoever gets them how long they are good.
extension ImagePipeline {
    /// The rendition that `request` asks for, if memory has it and it may be taken as it is.
    ///
    /// It comes at once, without a load of which the observer would be told. That there is none is not counted;
    /// ``served(_:)`` then counts it.
    package func servedFromMemory(_ request: ImageRequest) -> ServedRendition? {
        // A hook may make another request of it.
        guard configuration.prepare == nil, !hasEnded else { return nil }
        let spec = RenditionSpec(request.transform, request.output)
        let found = pictures.cachedBeforehand(RenditionKey(request, .encoded(spec)))
        return found.map { found in
            var served = served((found.rendition, found.version), request)
            served.tag = found.tag
            served.unloaded = .memory
            return served
        }
    }

    /// The rendition that `request` asks for, if the store has it and it may be taken as it is.
    ///
    /// As with ``servedFromMemory(_:)``, it is no load: the observer is not told, and the deadline is not watched. A store that
    /// does not answer is given up by itself; where the deadline may be nearer than that there is nothing, and
    /// ``served(_:)`` has to be asked.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    package func servedFromStore(_ request: ImageRequest) async throws -> ServedRendition? {
        guard mayAskStore(request) else { return nil }
        let spec = RenditionSpec(request.transform, request.output)
        let found = try await pictures.stored(RenditionKey(request, .encoded(spec)))
        return found.map { servedFromStore($0, request) }
    }

    /// The same as ``servedFromStore(_:)``, for a caller who waits without a task.
    ///
    /// That spares the hops to a task and back, which take longer than the look-up.
    ///
    /// - Parameters:
    ///   - request: What is asked for.
    ///   - isWanted: Asked when it is the look-up's turn: where nobody wants the rendition any more, nothing is looked up.
    ///   - answer: Called once, within five seconds, on any thread; it should return soon.
    /// - Returns: Whether `answer` is called; where it is not, the same function with a task is to be asked.
    package func lookUp(
        _ request: ImageRequest,
        ifWanted isWanted: @escaping @Sendable () -> Bool,
        _ answer: @escaping @Sendable (ServedRendition?) -> Void
    ) -> Bool {
        guard mayAskStore(request) else { return false }
        let spec = RenditionSpec(request.transform, request.output)
        return pictures.lookUp(RenditionKey(request, .encoded(spec)), ifWanted: isWanted) { found in
            answer(found.map { self.servedFromStore($0, request) })
        }
    }

    private func mayAskStore(_ request: ImageRequest) -> Bool {
        store != nil && configuration.prepare == nil && !hasEnded
            && (request.deadline.map { $0 - .now > WriteBehind.patience } ?? true)
    }

    private func servedFromStore(_ found: FoundPicture, _ request: ImageRequest) -> ServedRendition {
        var served = served((found.rendition, found.version), request)
        served.unloaded = .store
        return served
    }

    /// Makes the rendition that `request` asks for, and tells what its origin said about it.
    ///
    /// - Throws: `LoadFailure`; `CancellationError` when the task is cancelled.
    package func served(_ request: ImageRequest) async throws -> ServedRendition {
        try await served(request, watch: nil)
    }

    func served(_ request: ImageRequest, watch: SourceFeed.Observer?) async throws -> ServedRendition {
        served(try await versioned(request, priority: LivePriority(request), watch: watch), request)
    }

    /// Runs `body` while the source of `request` is held, so that what `body` asks of the same source needs no second
    /// download.
    ///
    /// - Throws: `LoadFailure`; what `body` throws.
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
            freshUntil: sources.loader.judge.freshUntil(version, request.headers)
        )
    }
}

extension Result where Failure == any Error {
    /// What `body` returns or throws.
    fileprivate static func of(_ body: () async throws -> Success) async -> Self {
        do { return .success(try await body()) } catch { return .failure(error) }
    }
}
