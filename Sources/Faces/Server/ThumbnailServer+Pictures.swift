import Calotype
import CalotypeCodec
import CalotypeCore
import CalotypeHTTP
import CalotypeHTTPListener

extension ThumbnailServer {
    static let policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"

    /// Creates the response with an image.
    func answer(
        _ picture: Picture,
        cache: String? = nil,
        unloaded: PipelineEvent.Origin? = nil,
        _ plan: AnswerPlan,
        _ visit: Visit
    ) -> OutgoingResponse {
        let (rendition, provenance) = (picture.rendition, picture.provenance)
        var record = plan.record
        record.add(rendition, cache: cache ?? rendition.cache.rawValue)
        record.unloaded = unloaded
        if unloaded == .memory, isSameForAll(plan) { record.kept = plan.query.kept }
        var response = pictureResponse(rendition, plan)
        let rules = configuration.answers
        let now = visit.moment.secondsSince1970
        let time = CacheTime(rules, provenance, expires: plan.thumbnail.expires, now: now)
        response.headers.append(HeaderField("Cache-Control", time.text))
        if rules.hasEntityTags, let tag = tag(of: picture, plan) {
            response.headers.append(HeaderField("ETag", tag))
        }
        if rules.hasLastModified, let moment = provenance.version?.lastModified {
            response.headers.append(HeaderField("Last-Modified", moment))
        }
        if rules.isCanonicalTold { tellCanonical(plan, &response) }
        return finished(response, record, visit)
    }

    private func tag(of picture: Picture, _ plan: AnswerPlan) -> String? {
        let buster = configuration.answers.entityTagBuster
        let make = { ResultTag.text(picture, of: { plan.request.resultName }, buster: buster) }
        // Several plans share a picture that is passed on as it is, and each has a tag of its own.
        return plan.isPlain ? picture.provenance.tag.text(make) : make()
    }

    /// Returns a function that finds the tag of a result the client already has; `nil` if none can match.
    func knownTag(_ plan: AnswerPlan, _ visit: Visit) -> (@Sendable (SourceVersion) -> String?)? {
        let (rules, headers) = (configuration.answers, visit.request.headers)
        guard rules.hasEntityTags, plan.isPlain, headers["If-Match"] == nil,
            headers["If-Unmodified-Since"] == nil,
            case .tags(let tags) = EntityTagList(headers.values(of: "If-None-Match")), !tags.isEmpty
        else { return nil }
        return {
            ResultTag.text(among: tags, of: $0, { plan.request.resultName }, buster: rules.entityTagBuster)
        }
    }

    /// Creates the response for a client that already has the image with `tag`.
    func notModified(
        _ provenance: Provenance,
        _ tag: String,
        _ plan: AnswerPlan,
        _ visit: Visit
    ) -> OutgoingResponse {
        var record = plan.record
        record.cache = AnswerRecord.clientsCache
        var response = OutgoingResponse(304)
        addVary(plan, &response)
        let rules = configuration.answers
        let now = visit.moment.secondsSince1970
        let time = CacheTime(rules, provenance, expires: plan.thumbnail.expires, now: now)
        response.headers.append(HeaderField("Cache-Control", time.text))
        response.headers.append(HeaderField("ETag", tag))
        if rules.hasLastModified, let moment = provenance.version?.lastModified {
            response.headers.append(HeaderField("Last-Modified", moment))
        }
        return finished(response, record, visit)
    }

    /// Creates the response with the fallback image.
    func fallback(
        _ picture: Picture,
        _ record: AnswerRecord,
        _ plan: AnswerPlan,
        _ visit: Visit
    ) -> OutgoingResponse {
        var record = record
        let rendition = picture.rendition
        record.format = rendition.format
        record.size = rendition.size
        var response = pictureResponse(rendition, plan)
        let rules = configuration.fallback
        let status = rules.status == 0 ? record.refusal?.status : rules.status
        response.status = status ?? 200
        let lifetime = rules.timeToLive ?? configuration.answers.timeToLive
        let rest = plan.thumbnail.remainingSeconds(now: visit.moment.secondsSince1970) ?? .max
        let time = CacheTime(seconds: min(Int(lifetime.components.seconds), rest))
        response.headers.append(HeaderField("Cache-Control", time.text))
        return finished(response, record, visit)
    }

    /// Creates the response with the information about an image.
    func info(
        _ told: ToldInfo,
        _ cache: String,
        unloaded: PipelineEvent.Origin? = nil,
        _ plan: AnswerPlan,
        _ visit: Visit
    ) -> OutgoingResponse {
        var record = plan.record
        record.sourceBytes = told.info.bytes
        record.facts = told.info.facts
        record.cache = cache
        record.unloaded = unloaded
        var response = OutgoingResponse(200)
        response.headers.append(HeaderField("Content-Type", "application/json"))
        let rules = configuration.answers
        let now = visit.moment.secondsSince1970
        let time = CacheTime(rules, told.provenance, expires: plan.thumbnail.expires, now: now)
        response.headers.append(HeaderField("Cache-Control", time.text))
        if rules.hasEntityTags, let tag = ResultTag.text(of: told.json, buster: rules.entityTagBuster) {
            response.headers.append(HeaderField("ETag", tag))
        }
        response.body = .bytes(told.json)
        return finished(response, record, visit)
    }

    private func pictureResponse(_ rendition: Rendition, _ plan: AnswerPlan) -> OutgoingResponse {
        var response = OutgoingResponse(200)
        response.headers.append(HeaderField("Content-Type", rendition.format.mediaType))
        addDisposition(plan, rendition.format, &response)
        response.headers.append(HeaderField("Content-Security-Policy", Self.policy))
        addVary(plan, &response)
        if configuration.answers.hasDebugHeaders { tellSizes(rendition, &response) }
        response.body = .bytes(rendition.bytes)
        return response
    }

    private func addVary(_ plan: AnswerPlan, _ response: inout OutgoingResponse) {
        guard !plan.varying.isEmpty else { return }
        let names = plan.varying.joined(separator: ", ")
        response.headers.append(HeaderField("Vary", names))
    }

    func addDisposition(
        _ plan: AnswerPlan,
        _ format: ImageFormat?,
        _ response: inout OutgoingResponse
    ) {
        let value = plan.disposition(format)
        response.headers.append(HeaderField("Content-Disposition", value))
    }

    private func tellSizes(_ rendition: Rendition, _ response: inout OutgoingResponse) {
        let sizes = [
            ("X-Origin-Content-Length", rendition.sourceBytes.bytes),
            ("X-Origin-Width", rendition.source.size.width),
            ("X-Origin-Height", rendition.source.size.height), ("X-Result-Width", rendition.size.width),
            ("X-Result-Height", rendition.size.height),
        ]
        for (name, value) in sizes { response.headers.append(HeaderField(name, "\(value)")) }
    }

    /// Adds the source as the canonical URL, without credentials, escaped so that it cannot end the field.
    func tellCanonical(_ plan: AnswerPlan, _ response: inout OutgoingResponse) {
        guard case .url(let text) = plan.request.source, let url = try? WebURL(text) else { return }
        let value = "<\(PercentEscapes.encoded(url.text, keeping: ":/?#[]@!$&'()*+,;=%"))>; rel=\"canonical\""
        response.headers.append(HeaderField("Link", value))
    }
}
