package import CalotypeCore
import CalotypeHTTP
import TaskFlow

extension ImagePipeline {
    /// Begins to load the source of `request` as it is, unchecked, for one who reads it while it comes in.
    ///
    /// The time that a source may take, the request's deadline among it, is that of the load: whoever reads slowly has all the time
    /// there is. A transfer that is cut goes on where the origin tells versions apart; what else went wrong is an
    /// error for all who read.
    ///
    /// - Parameters:
    ///   - request: Names the source; scaling and format are of no meaning.
    ///   - company: Is kept until the load has ended.
    /// - Returns: The source, of which nothing has come yet.
    /// - Throws: `pipeline_closed`.
    package func growing(
        _ request: ImageRequest,
        keeping company: (any Sendable)? = nil
    ) throws -> GrowingSource {
        let intake = GrowingIntake()
        do {
            // Owner: the pipeline's scope; cancelled by the source that reads.
            let load = try scope.start(name: "growing source") {
                await self.load(request, into: intake)
                withExtendedLifetime(company) {}
            }
            return GrowingSource(intake, loadedBy: load, disk: sources.loader.disk)
        } catch {
            throw LoadFailure(Self.closedError)
        }
    }

    private func load(_ request: ImageRequest, into intake: GrowingIntake) async {
        do {
            let complete = try await perform(request) { request in
                try await self.complete(request, intake)
            }
            intake.end(.success(complete))
        } catch {
            intake.end(.failure(error))
        }
    }

    private func complete(
        _ request: ImageRequest,
        _ intake: GrowingIntake
    ) async throws -> (GrowingIntake.Complete, PipelineEvent.Origin) {
        let start = clock.now
        let key = try SourceKey(request, .growing)
        let observer = intake.observer { (self.standing($0, request), key.isDirect($0)) }
        let (source, origin) = try await sources.feeds.observing(key, observer) {
            try await sources.find(key, priority: LivePriority(request))
        }
        let receipt = source.receipt
        var timings = receipt.timings
        timings.total = clock.now - start
        let costs = GrowingSource.Costs(
            byteCount: receipt.byteCount,
            attempts: receipt.attempts,
            timings: timings,
            cache: receipt.cache
        )
        do {
            let disk = sources.loader.disk
            let bytes = source.spool == nil ? try await source.input.bytes(on: disk) : nil
            let complete = GrowingIntake.Complete(
                source: source,
                bytes: bytes,
                costs: costs,
                standing: receipt.version.map { standing($0, request) },
                isDirect: receipt.version.map(key.isDirect) ?? false
            )
            return (complete, origin)
        } catch let error as CalotypeError {
            throw receipt.failure(error)
        }
    }
}

extension SourceKey {
    /// Whether the validators of `version` are those of this source: one behind a redirect may be another the next time.
    fileprivate func isDirect(_ version: SourceVersion) -> Bool {
        guard case .web(let url) = place else { return false }
        return version.url == url.text && !version.isDetour
    }
}
