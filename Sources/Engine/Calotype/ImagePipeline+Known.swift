package import CalotypeCore
import CalotypeHTTP
import TaskFlow

extension ImagePipeline {
    /// Makes the rendition that `request` asks for, unless `isKnown` says that whoever asks has it already.
    ///
    /// It is asked as soon as the origin has told which version of the source it sends. If it is known, neither the rest of the
    /// source nor its decode is waited for; they end unless others wait for them, and the observer is told of a load that
    /// was cancelled.
    ///
    /// - Parameters:
    ///   - request: What is asked for.
    ///   - isKnown: Whether what is made of this version is known; it must be quick, and may be asked several times.
    /// - Returns: The rendition, or the version whose rendition is known.
    /// - Throws: `LoadFailure`; `CancellationError` when the task is cancelled.
    package func served(
        _ request: ImageRequest,
        unless isKnown: @escaping @Sendable (SourceStanding) -> Bool
    ) async throws -> ServedOrKnown {
        // A hook may make another request of it; and what is wrong with a URL is told by the load.
        guard configuration.prepare == nil, !hasEnded, let key = try? SourceKey(request),
            case .web(let url) = key.place
        else { return .served(try await served(request)) }
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
        let result = await watched(request, judge)
        if let standing = known.withLock({ $0 }), !Task.isCancelled { return .known(standing) }
        return .served(try result.get())
    }

    /// Makes the rendition until `ends` says of the version that it need not be.
    private func watched(
        _ request: ImageRequest,
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
                    made = .success(try await self.served(request, watch: observer))
                } catch {
                    made = .failure(error)
                }
                result.withLock { $0 = made }
            }
        }
        return result.withLock { $0 }
    }
}
