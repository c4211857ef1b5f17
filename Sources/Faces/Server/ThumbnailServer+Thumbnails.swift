import Calotype
import CalotypeCore
import CalotypeHTTP
import CalotypeHTTPListener
import CalotypeHTTPMessages
import TaskFlow

extension ThumbnailServer {
    /// Returns the response if it needs no waiting (a refusal, or a result in memory), or else a plan for it.
    func firstAnswer(_ visit: Visit) -> FirstAnswer {
        do throws(ServerError) {
            let read = try readThumbnail(visit)
            guard read.thumbnail.localPath == nil else {
                guard !queue.isFull else { throw .queueFull }
                return .task { await self.localResponse(read, visit) }
            }
            var plan = try AnswerPlan(read, visit, configuration)
            if plan.kind == .info, let told = infos.told(of: plan.request, at: visit.moment) {
                return .now(info(told, "memory", plan, visit))
            }
            if plan.isPlain, let served = pipeline.servedFromMemory(&plan.query) {
                return .now(answer(served, cache: "memory", unloaded: .memory, plan, visit))
            }
            guard !queue.isFull else { throw .queueFull }
            return plan.isPlain
                ? .later { [plan] in await self.storedResponse(plan, visit) }
                : .task { [plan] in await self.response(plan, visit) }
        } catch {
            return .now(answer(error, AnswerRecord(visit.id, .picture), visit))
        }
    }

    /// Responds from the store without a place in the queue, or renders the image.
    private func storedResponse(_ plan: AnswerPlan, _ visit: Visit) async -> OutgoingResponse {
        await working(visit) { () async throws(ServerError) in
            var plan = plan
            do {
                if let served = try await pipeline.servedFromStore(&plan.query) {
                    return answer(served, unloaded: .store, plan, visit)
                }
            } catch {
                throw .clientGone
            }
            return try await queued(plan, nil, visit)
        }
    }

    /// Responds with an image from a local file, which may take time to open.
    private func localResponse(_ read: ReadThumbnail, _ visit: Visit) async -> OutgoingResponse {
        await working(visit) { () async throws(ServerError) in
            let file = try await file(read.thumbnail)
            let plan = try AnswerPlan(read, file: source(file, read.thumbnail), visit, configuration)
            return try await queued(plan, file, visit)
        }
    }

    private func response(_ plan: AnswerPlan, _ visit: Visit) async -> OutgoingResponse {
        await working(visit) { () async throws(ServerError) in try await queued(plan, nil, visit) }
    }

    /// Counts and records the work of `body` for the client's trace, and responds with its error.
    private func working(
        _ visit: Visit,
        _ body: () async throws(ServerError) -> OutgoingResponse
    ) async -> OutgoingResponse {
        metrics.began()
        defer { metrics.ended() }
        return await TraceContext.$current.withValue(TraceContext(visit.request.headers)) {
            await TaskTrace.recording(to: trace) {
                do throws(ServerError) {
                    return try await body()
                } catch {
                    return answer(error, AnswerRecord(visit.id, .picture), visit)
                }
            }
        }
    }

    /// Renders the response in a place of the queue.
    private func queued(
        _ plan: AnswerPlan,
        _ file: LocalFile?,
        _ visit: Visit
    ) async throws(ServerError) -> OutgoingResponse {
        let place = HeldPlace(try queue.enter(plan.host))
        if plan.kind == .raw { return await rawAnswer(plan, file, place, visit) }
        let response = await answered(plan, visit)
        place.stay()
        return response
    }

    private func readThumbnail(_ visit: Visit) throws(ServerError) -> ReadThumbnail {
        try checkSecret(visit)
        let headers = visit.request.headers
        let hints =
            configuration.heedsClientHints
            ? ClientHints(
                pixelRatio: headers["Sec-CH-DPR"] ?? headers["DPR"],
                width: headers["Sec-CH-Width"] ?? headers["Width"]
            ) : .none
        return try thumbnails.thumbnail(
            visit.request.target,
            now: visit.moment.secondsSince1970,
            hints: hints
        )
    }

    private func source(_ file: LocalFile?, _ thumbnail: ThumbnailRequest) -> ImageSource? {
        file?.source(on: pipeline.disk, limits: thumbnail.limits.applied(to: configuration.limits))
    }

    /// The file that the request's source names; `nil` if the source is not local.
    private func file(_ thumbnail: ThumbnailRequest) async throws(ServerError) -> LocalFile? {
        guard let path = thumbnail.localPath, let root else { return nil }
        do {
            return try await pipeline.disk.run { try root.open(path) }
        } catch let error as CalotypeError {
            throw ServerError(error)
        } catch {
            throw .clientGone
        }
    }

    /// Responds with the image, or its substitute.
    private func answered(_ plan: AnswerPlan, _ visit: Visit) async -> OutgoingResponse {
        var record = plan.record
        do {
            return try await loaded(plan, visit)
        } catch let error as CalotypeError {
            if let load = error.load { record.add(load) }
            return await substitute(ServerError(error), record, plan, visit)
        } catch {
            return answer(.clientGone, record, visit)
        }
    }

    private func loaded(_ plan: AnswerPlan, _ visit: Visit) async throws -> OutgoingResponse {
        let request = plan.request
        switch plan.kind {
        case .info:
            if let told = infos.told(of: request, at: visit.moment) {
                return info(told, "memory", plan, visit)
            }
            let derived = try await derivedInfo(plan)
            let told = ToldInfo(json: derived.bytes, info: derived.info, provenance: derived.provenance)
            let cache = derived.cache.rawValue
            let unloaded: PipelineEvent.Origin? = derived.isLoaded ? nil : .store
            return info(infos.keep(told, of: request), cache, unloaded: unloaded, plan, visit)
        default: break
        }
        guard !plan.thumbnail.untouched.isEmpty else {
            return try await plain(plan, visit)
        }
        let served = try await pipeline.holdingSource(of: request) { [pipeline] source in
            let isUntouched = plan.leaves(source.info.facts.format)
            return isUntouched
                ? try await pipeline.served(plan.unprocessed) : try await pipeline.served(request)
        }
        return answer(served, plan, visit)
    }

    /// Responds with the image, or that the client has it already.
    private func plain(_ plan: AnswerPlan, _ visit: Visit) async throws -> OutgoingResponse {
        let outcome: ServedOrKnown
        let knownTag = knownTag(plan, visit)
        if let knownTag {
            outcome = try await pipeline.served(plan.query) { knownTag($0) != nil }
        } else {
            outcome = .served(try await pipeline.served(plan.query))
        }
        switch outcome {
        case .served(let served): return answer(served, plan, visit)
        case .known(let provenance):
            let tag = provenance.version.flatMap { knownTag?($0) }
            return notModified(provenance, tag ?? "", plan, visit)
        }
    }

    private func derivedInfo(_ plan: AnswerPlan) async throws -> DerivedBytes {
        try await pipeline.derived(PictureInfo.layout, of: plan.request) { [pipeline] source in
            var request = plan.request
            request.transform = .fit(PictureInfo.side, PictureInfo.side)
            let bitmap = try await pipeline.bitmap(for: request)
            return Array(PictureInfo(info: source.info, bitmap: bitmap).json.utf8)
        }
    }

    /// Responds with the fallback image for an unavailable image, if there is one; otherwise with the error.
    private func substitute(
        _ refusal: ServerError,
        _ record: AnswerRecord,
        _ plan: AnswerPlan,
        _ visit: Visit
    ) async -> OutgoingResponse {
        guard let fallback = pictures.fallback, plan.kind == .picture, !Task.isCancelled else {
            return answer(refusal, record, visit)
        }
        var request = plan.request
        request.source = .provided(ImageProvider(id: "fallback \(fallback.name)") { fallback.bytes })
        do {
            let served = try await pipeline.served(request)
            var record = record
            record.refusal = refusal
            return self.fallback(served, record, plan, visit)
        } catch {
            // A failing fallback is a problem of the server itself; the client receives the original error.
            return answer(refusal, record, visit)
        }
    }
}
