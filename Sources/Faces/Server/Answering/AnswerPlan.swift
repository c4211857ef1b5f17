import Calotype
import CalotypeCore
import CalotypeHTTP
import CalotypeHTTPListener

/// The plan for responding to a request whose path has been read.
struct AnswerPlan: Sendable {
    private let read: ReadThumbnail
    let kind: AnswerRecord.Kind
    /// The request for the pipeline, and which of its caches are known not to have the result.
    var query: PictureQuery
    /// The facts known so far about the response.
    let record: AnswerRecord
    /// The request fields that the response depends on.
    let varying: [String]

    var request: ImageRequest { query.request }
    var thumbnail: ThumbnailRequest { read.thumbnail }
    /// The host of the source, for the queue.
    var host: String { read.host }

    /// The value of `Content-Disposition` for a result of `format`.
    func disposition(_ format: ImageFormat?) -> String { read.disposition(format) }

    /// Whether the result in memory for ``request`` is the response.
    var isPlain: Bool { kind == .picture && thumbnail.untouched.isEmpty }

    /// The request for the unprocessed source with the metadata to keep, which is usually none.
    var unprocessed: ImageRequest {
        var request = request
        var edits = PictureEdits()
        edits.kept = request.transform.edits.kept
        request.transform = Transform.none.edited(edits)
        request.output = .original
        return request
    }

    /// Plans the response to `read`, whose source is `file` if it is local.
    ///
    /// - Throws: The error response if there can be no image.
    init(
        _ read: ReadThumbnail,
        file: ImageSource? = nil,
        _ visit: Visit,
        _ configuration: ServerConfiguration
    ) throws(ServerError) {
        self.read = read
        let thumbnail = read.thumbnail
        kind = thumbnail.purpose == .information ? .info : thumbnail.isRaw ? .raw : .picture
        let accept = visit.request.headers.values(of: "Accept")
        let choice = configuration.negotiation.choice(
            for: thumbnail,
            accept: accept.isEmpty ? nil : accept.joined(separator: ",")
        )
        varying =
            (choice.varies ? ["Accept"] : [])
            + (configuration.heedsClientHints ? ["DPR", "Width", "Sec-CH-DPR", "Sec-CH-Width"] : [])
        let limits = thumbnail.limits.applied(to: configuration.limits)
        let source = try thumbnail.imageSource(limits, file)
        var request = ImageRequest(source, thumbnail.transform, try Self.output(thumbnail, choice))
        request.limits = limits
        request.deadline = visit.request.arrival + configuration.timeout
        query = read.query(for: request)
        var record = AnswerRecord(visit.id, kind)
        record.source = source
        record.sourceName = read.sourceName
        self.record = record
    }

    /// Whether a source of `format` is passed through without processing.
    func leaves(_ format: ImageFormat) -> Bool {
        thumbnail.untouched.contains(format) && (thumbnail.format ?? format) == format
    }

    private static func output(
        _ thumbnail: ThumbnailRequest,
        _ choice: FormatChoice
    ) throws(ServerError) -> OutputFormat {
        // An animation keeps its frames even if the browser prefers AVIF, which has none here.
        let mayBeAnimated = thumbnail.transform.edits.mostFrames > 1 && thumbnail.format != .avif
        if let format = choice.format, !mayBeAnimated || format != .avif {
            return try thumbnail.output(format)
        }
        return .suited(
            SuitedFormat(
                preferred: choice.format.map { [$0] } ?? choice.preferred,
                qualities: thumbnail.quality == nil ? thumbnail.formatQualities : [:],
                quality: thumbnail.quality ?? thumbnail.defaultQuality,
                isProgressive: thumbnail.isProgressive
            )
        )
    }
}

extension AnswerRecord {
    /// Records the cost of a failed load.
    mutating func add(_ load: LoadDetails) {
        attempts = load.attempts
        timings = load.timings
        facts = load.source
        cache = load.cache.rawValue
    }

    /// Records the facts about a rendition.
    mutating func add(_ rendition: Rendition, cache: String) {
        sourceBytes = rendition.sourceBytes
        facts = rendition.source
        format = rendition.format
        size = rendition.size
        self.cache = cache
        guard cache != "memory" else { return }
        attempts = rendition.attempts
        timings = rendition.timings
    }
}
