import Calotype
import CalotypeCore
import TaskFlow

/// What is told of an answer in the log and in the metrics; it travels with the answer.
struct AnswerRecord: Sendable {
    /// What was asked for.
    enum Kind: String, CaseIterable, Sendable {
        case picture, info, raw, health, metrics, other
    }

    /// The request's ID.
    var id: String
    var kind: Kind
    /// What went wrong; `nil` where nothing did.
    var refusal: ServerError?
    /// Where the picture is; named only when it is told, for that takes time.
    var source: ImageSource?
    /// Keeps the name for others that ask for the same.
    var sourceName: DerivedText?
    /// The length of the source.
    var sourceBytes: ByteCount?
    /// The source's header.
    var facts: ImageFacts?
    /// The format of the result.
    var format: ImageFormat?
    /// The size of the result.
    var size: PixelSize?
    /// How the caches helped: `memory`, ``clientsCache``, or what ``CacheUse`` says.
    var cache: String?
    /// The cache that had it, where the pipeline's observer was told of no load.
    var unloaded: PipelineEvent.Origin?
    /// How often the origin was asked.
    var attempts: Int?
    /// How long each part took.
    var timings: LoadTimings?

    /// What is known only at the end, of an answer that was sent while its source came.
    var passed: PassedBytes?

    /// What ``cache`` is where the client had the result, and nothing was made.
    static let clientsCache = "client"

    init(_ id: String, _ kind: Kind) {
        self.id = id
        self.kind = kind
    }
}

/// What has become of a source whose bytes are sent while they come; for the log and the metrics, which are told at the end.
final class PassedBytes: Sendable {
    private struct State {
        var failure: LoadError?
        var costs: GrowingSource.Costs?
    }

    private let state = Guarded(State())

    /// The source is complete.
    func complete(_ costs: GrowingSource.Costs?) {
        state.withLock { $0.costs = costs }
    }

    /// The rest of the source does not come, and the answer is cut.
    func cut(_ failure: LoadError) {
        state.withLock { $0.failure = failure }
    }

    /// Whether the answer was cut for want of its rest.
    var isCut: Bool { state.withLock { $0.failure != nil } }

    /// Adds what is known now to what was known when the head was sent.
    func add(to record: inout AnswerRecord) {
        let state = state.withLock { $0 }
        if let failure = state.failure {
            record.add(failure)
            record.refusal = ServerError(failure.error)
        }
        guard let costs = state.costs else { return }
        record.sourceBytes = costs.byteCount
        record.attempts = costs.attempts
        record.timings = costs.timings
        record.cache = costs.cache.rawValue
    }
}
