public import CalotypeCore

/// How one entry of the list ended: a line of the report.
public struct FetchOutcome: Sendable {
    /// The kinds of ends.
    public enum Status: String, CaseIterable, Sendable {
        /// The picture was made and its file is in place.
        case ok
        /// There is no picture; the code says why.
        case failed
        /// The run was interrupted meanwhile.
        case cancelled
        /// A former run had made the picture with the same options.
        case skipped
    }

    /// The entry's place in the list.
    public let index: Int
    /// The URL as given.
    public let url: String
    /// How it ended.
    public let status: Status
    /// Why it failed.
    public var code: ErrorCode?
    /// The same for people.
    public var message: String?
    /// The output file's name in the folder.
    public var file: String?
    /// The picture's size.
    public var size: PixelSize?
    /// The source's size, upright.
    public var sourceSize: PixelSize?
    /// The source's format.
    public var sourceFormat: ImageFormat?
    /// The source's frames, where the header tells.
    public var sourceFrames: Int?
    /// The source's length.
    public var sourceBytes: ByteCount?
    /// The output file's length.
    public var bytes: ByteCount?
    /// How what was stored helped; `nil` where nothing was looked for.
    public var cache: CacheUse?
    /// How many requests were sent, redirects not counted.
    public var attempts = 0
    /// How long each part took; `nil` where nothing was loaded.
    public var timings: LoadTimings?

    init(_ item: ListItem, _ status: Status) {
        index = item.index
        url = item.url
        self.status = status
    }
}

extension FetchOutcome {
    static func ok(_ item: ListItem, _ rendition: Rendition, file: String) -> FetchOutcome {
        var outcome = FetchOutcome(item, .ok)
        outcome.file = file
        outcome.describe(rendition)
        outcome.size = rendition.size
        outcome.bytes = ByteCount(rendition.bytes.count)
        return outcome
    }

    /// A picture that was made but not stored.
    static func unstored(_ item: ListItem, _ rendition: Rendition, _ error: CalotypeError) -> FetchOutcome {
        var outcome = failed(item, LoadFailure(error))
        outcome.describe(rendition)
        return outcome
    }

    static func failed(_ item: ListItem, _ failure: LoadFailure) -> FetchOutcome {
        var outcome = FetchOutcome(item, .failed)
        outcome.code = failure.error.code
        outcome.message = failure.error.message
        outcome.cache = failure.error.stage == .request ? nil : failure.cache
        outcome.attempts = failure.attempts
        outcome.timings = failure.timings
        outcome.sourceSize = failure.source?.size
        outcome.sourceFormat = failure.source?.format
        outcome.sourceFrames = failure.source?.frames
        return outcome
    }

    static func skipped(_ item: ListItem, _ record: StateRecord) -> FetchOutcome {
        var outcome = FetchOutcome(item, .skipped)
        outcome.file = record.fileName
        outcome.size = record.size
        outcome.sourceSize = record.sourceSize
        outcome.sourceFormat = record.sourceFormat
        outcome.sourceFrames = record.sourceFrames
        outcome.sourceBytes = ByteCount(record.sourceBytes)
        outcome.bytes = ByteCount(record.bytes)
        return outcome
    }

    private mutating func describe(_ rendition: Rendition) {
        sourceSize = rendition.source.size
        sourceFormat = rendition.source.format
        sourceFrames = rendition.source.frames
        sourceBytes = rendition.sourceBytes
        cache = rendition.cache
        attempts = rendition.attempts
        timings = rendition.timings
    }
}
