import Calotype
import CalotypeCodec
import CalotypeCore
import CalotypeHTTP
import CalotypeHTTPListener
import TaskFlow

// Sources that are sent unchanged, while they arrive.
extension ThumbnailServer {
    /// Responds with a source's own bytes, as soon as the first of them have arrived.
    ///
    /// - Parameters:
    ///   - plan: The plan for the request.
    ///   - file: The source, if it is local.
    ///   - place: The place in the queue, held until the whole source has arrived.
    ///   - visit: The request.
    /// - Returns: The response, or the error.
    func rawAnswer(
        _ plan: AnswerPlan,
        _ file: LocalFile?,
        _ place: HeldPlace,
        _ visit: Visit
    ) async -> OutgoingResponse {
        do {
            if let file { return try await raw(file, plan, visit) }
            return try await raw(try pipeline.growing(plan.request, keeping: place), plan, visit)
        } catch let error as CalotypeError {
            var record = plan.record
            if let load = error.load { record.add(load) }
            return answer(ServerError(error), record, visit)
        } catch {
            return answer(.clientGone, plan.record, visit)
        }
    }

    private func raw(
        _ source: GrowingSource,
        _ plan: AnswerPlan,
        _ visit: Visit
    ) async throws -> OutgoingResponse {
        // Without a length and without chunks, the client could not detect that a response is cut off.
        let head = try await source.head(needsLength: !visit.request.takesChunks) {
            ImageProbe.kind(ofPrefix: $0, isComplete: false) != .undecided
        }
        var record = plan.record
        record.sourceBytes = head.length
        let passed = PassedBytes()
        passed.complete(source.receipt)
        record.passed = passed
        var response = rawResponse(head.beginning, head.provenance, plan, &record, visit)
        if let version = head.provenance?.version, head.isDirect { tellVersion(version, &response) }
        if let bytes = head.bytes {
            response.body = .bytes(bytes)
        } else {
            response.headers.append(HeaderField("Accept-Ranges", "none"))
            response.body = .written(length: head.length?.bytes) { writer in
                defer { source.close() }
                do {
                    try await source.read { try await writer.write($0) }
                    passed.complete(source.receipt)
                } catch let error as CalotypeError {
                    passed.cut(error)
                    throw error
                }
            }
        }
        return finished(response, record, visit)
    }

    private func raw(_ file: LocalFile, _ plan: AnswerPlan, _ visit: Visit) async throws -> OutgoingResponse {
        let disk = pipeline.disk
        try file.check(plan.request.limits.sourceBytes)
        let beginning = try await disk.run { try file.read(Self.beginningBytes, at: 0) }
        var record = plan.record
        record.sourceBytes = file.byteCount
        let passed = PassedBytes()
        record.passed = passed
        var response = rawResponse(beginning, nil, plan, &record, visit)
        let rules = configuration.answers
        if rules.hasEntityTags,
            let tag = ResultTag.text(of: Array(file.version.utf8), buster: rules.entityTagBuster)
        {
            response.headers.append(HeaderField("ETag", tag))
        }
        response.headers.append(HeaderField("Accept-Ranges", "none"))
        response.body = .written(length: file.byteCount.bytes) { writer in
            do {
                try await file.pass(on: disk) { try await writer.write($0) }
            } catch let error as CalotypeError {
                passed.cut(error)
                throw error
            }
        }
        return finished(response, record, visit)
    }

    /// The number of bytes that suffices to identify a file's type.
    private static var beginningBytes: Int { 4096 }

    /// Creates the head for bytes that start with `beginning`; the media type is sent only for images.
    private func rawResponse(
        _ beginning: [UInt8],
        _ provenance: Provenance?,
        _ plan: AnswerPlan,
        _ record: inout AnswerRecord,
        _ visit: Visit
    ) -> OutgoingResponse {
        var response = OutgoingResponse(200)
        var format: ImageFormat?
        // A drawing from a stranger may contain scripts, so a browser is not told to show it.
        if case .picture(let known) = ImageProbe.kind(ofPrefix: beginning, isComplete: true), known != .svg {
            format = known
        }
        record.format = format
        let type = format?.mediaType ?? "application/octet-stream"
        response.headers.append(HeaderField("Content-Type", type))
        addDisposition(plan, format, &response)
        response.headers.append(HeaderField("Content-Security-Policy", Self.policy))
        let rules = configuration.answers
        let now = visit.moment.secondsSince1970
        let time = CacheTime(rules, provenance, expires: plan.thumbnail.expires, now: now)
        response.headers.append(HeaderField("Cache-Control", time.text))
        if rules.isCanonicalTold { tellCanonical(plan, &response) }
        return response
    }

    private func tellVersion(_ version: SourceVersion, _ response: inout OutgoingResponse) {
        let rules = configuration.answers
        if rules.hasEntityTags, let tag = ResultTag.text(of: version, buster: rules.entityTagBuster) {
            response.headers.append(HeaderField("ETag", tag))
        }
        if rules.hasLastModified, let moment = version.lastModified {
            response.headers.append(HeaderField("Last-Modified", moment))
        }
    }
}
