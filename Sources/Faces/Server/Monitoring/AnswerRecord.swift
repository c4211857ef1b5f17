import Calotype
import CalotypeCore
import TaskFlow

/// The facts about a response for the log and the metrics; the record travels with the response.
struct AnswerRecord: Sendable {
    /// The kind of request.
    enum Kind: String, CaseIterable, Sendable {
        case picture, info, raw, health, metrics, other
    }

    /// The request's ID.
    var id: String
    var kind: Kind
    /// The error, if there was one.
    var refusal: ServerError?
    /// The source of the image.
    ///
    /// Its name is derived only when needed, because that takes time.
    var source: ImageSource?
    /// Caches the name for other requests for the same source.
    var sourceName: DerivedText?
    /// The length of the source.
    var sourceBytes: ByteCount?
    /// The source's header.
    var facts: ImageFacts?
    /// The format of the result.
    var format: ImageFormat?
    /// The size of the result.
    var size: PixelSize?
    /// How the caches contributed: `memory`, ``clientsCache``, or a value of ``CacheUse``.
    var cache: String?
    /// The cache that had the result, if the pipeline's observer received no load event.
    var unloaded: PipelineEvent.Origin?
    /// The picture in memory, if each request for the path gets the same response as long as it stays there.
    var kept: KeptPicture?
    /// The number of attempts to load from the origin.
    var attempts: Int?
    /// The duration of each part.
    var timings: LoadTimings?

    /// The facts that are known only at the end of a response that was sent while its source arrived.
    var passed: PassedBytes?

    /// The value of ``cache`` if the client had the result, so that nothing was rendered.
    static let clientsCache = "client"

    init(_ id: String, _ kind: Kind) {
        self.id = id
        self.kind = kind
    }
}

/// The outcome of a source whose bytes are sent while they arrive, for the log and the metrics.
final class PassedBytes: Sendable {
    private struct State {
        var error: CalotypeError?
        var receipt: SourceReceipt?
    }

    private let state = Guarded(State())

    /// Records that the source is complete.
    func complete(_ receipt: SourceReceipt?) {
        state.withLock { $0.receipt = receipt }
    }

    /// Records that the rest of the source does not arrive, so that the response is cut off.
    func cut(_ error: CalotypeError) {
        state.withLock { $0.error = error }
    }

    /// Whether the response was cut off because the rest of the source did not arrive.
    var isCut: Bool { state.withLock { $0.error != nil } }

    /// Adds the outcome to the facts that were known when the head was sent.
    func add(to record: inout AnswerRecord) {
        let state = state.withLock { $0 }
        if let error = state.error {
            record.add(error.load ?? LoadDetails())
            record.refusal = ServerError(error)
        }
        guard let receipt = state.receipt else { return }
        record.sourceBytes = receipt.byteCount
        record.attempts = receipt.attempts
        record.timings = receipt.timings
        record.cache = receipt.cache.rawValue
    }
}
