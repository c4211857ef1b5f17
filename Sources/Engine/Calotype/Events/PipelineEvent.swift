public import CalotypeCore

/// Something that happened in a pipeline, for logs and metrics.
///
/// A load tells `started` first and one of `finished`, `failed`, `cancelled` last. Between them come, where they apply
/// and in this order: `requested` for each attempt, `received`, `decoding`. Work that several loads share is told once, by
/// the load that started it; when that load is cancelled and others go on waiting, it is still told under its number, after
/// `cancelled`. A store that cannot take a picture is told in the background, mostly after `finished`.
public struct PipelineEvent: Sendable {
    /// What happened.
    public enum Kind: Hashable, Sendable {
        /// A caller asks for a picture or its bytes.
        case started
        /// A request is about to wait for its turn and be sent; attempts count from 1.
        case requested(attempt: Int)
        /// The source is complete.
        case received(ByteCount)
        /// A decode for this many pictures begins.
        case decoding(pictures: Int)
        /// The load has its result: from the cache, from work it had started, or shared with another load.
        case finished(Origin)
        /// The load failed.
        case failed(ErrorCode)
        /// The load's caller was cancelled.
        case cancelled
        /// The store could not give or take a picture; the load goes on without it.
        case storeFailed
    }

    /// Where a load's result came from.
    public enum Origin: Hashable, Sendable {
        /// The memory cache had it.
        case memory
        /// The store had it.
        case store
        /// The memory cache or the store had it, and the origin said that it is still right.
        case revalidated
        /// It was made for this load. Source bytes are told so too, whoever had started their download.
        case own
        /// It was made by work that another load had started.
        case shared
    }

    /// What a load is for.
    public enum Subject: Hashable, Sendable {
        /// A picture, its bytes, or what its header tells.
        case picture
        /// A document, see ``ImagePipeline/document(for:read:)``.
        case document
    }

    /// The load's number, from 1 in each pipeline.
    public let load: UInt64
    /// What the load is for.
    public let subject: Subject
    /// What happened.
    public let kind: Kind
    private let origin: ImageSource

    init(load: UInt64, for subject: Subject = .picture, of source: ImageSource, kind: Kind) {
        self.load = load
        self.subject = subject
        self.kind = kind
        origin = source
    }

    /// The source's URL without credentials, its path, or its provider's name; `nil` for bytes.
    public var source: String? { origin.displayName }
}
