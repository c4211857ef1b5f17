import Calotype
import CalotypeCore

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
    var refusal: RequestRefusal?
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
