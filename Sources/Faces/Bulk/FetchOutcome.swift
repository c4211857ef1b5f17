public import CalotypeCore

/// How one entry of the list ended: a line of the report.
public struct FetchOutcome: Sendable {
    /// The kinds of ends.
    public enum Status: String, CaseIterable, Sendable {
        /// All that was asked for was made, and the files are in place.
        case ok
        /// Not all of it was made; the code says why.
        case failed
        /// The run was interrupted meanwhile.
        case cancelled
        /// A former run had made all of it with the same options.
        case skipped
    }

    /// The entry's place in the list.
    public let index: Int
    /// The URL as given, without user name and password; entries are told apart by ``index``.
    public let url: String
    /// How it ended.
    public let status: Status
    /// Why it failed.
    public var code: ErrorCode?
    /// The same for people.
    public var message: String?
    /// The files that lie in the folder: all that were asked for where it is ``Status/ok`` or ``Status/skipped``, some or none
    /// else.
    public var renditions: [FetchedRendition] = []
    /// The source's size, upright.
    public var sourceSize: PixelSize?
    /// The source's format.
    public var sourceFormat: ImageFormat?
    /// The source's frames, where the header tells.
    public var sourceFrames: Int?
    /// The source's length.
    public var sourceBytes: ByteCount?
    /// Whether the source ended early and the pictures show only what there was; a later run tries again.
    public var isPartial = false
    /// Which decoder the source took; `nil` where none was needed.
    public var decoder: PictureDecoder?
    /// How what was stored helped; `nil` where nothing was looked for.
    public var cache: CacheUse?
    /// How many requests the source took, redirects not counted; entries that shared a download tell the same ones.
    public var attempts = 0
    /// How long each part took; `nil` where nothing was loaded.
    public var timings: LoadTimings?

    init(_ item: ListItem, _ status: Status) {
        index = item.index
        url = URLCredentials.removed(from: item.url)
        self.status = status
    }
}

extension FetchOutcome {
    /// The file, where there is one only.
    public var file: String? { only?.file }
    /// Its picture's size.
    public var size: PixelSize? { only?.size }
    /// The length of all files together; `nil` where there is none.
    public var bytes: ByteCount? {
        renditions.isEmpty ? nil : ByteCount(renditions.reduce(0) { $0 + $1.bytes.bytes })
    }

    private var only: FetchedRendition? { renditions.count == 1 ? renditions[0] : nil }
}

extension FetchOutcome {
    /// What has become of an entry of which at least one rendition was made.
    static func made(_ item: ListItem, _ product: EntryProduct) -> FetchOutcome {
        var outcome = product.failure.map { failed(item, $0) } ?? FetchOutcome(item, .ok)
        outcome.renditions = product.files.map { FetchedRendition($0, of: item.index) }
        outcome.describe(product.renditions)
        return outcome
    }

    /// What has become of an entry of which one picture was made, whose file is named by the entry's place.
    package static func loaded(_ item: ListItem, _ rendition: Rendition) -> FetchOutcome {
        var outcome = FetchOutcome(item, .ok)
        let name = FileName.name(index: item.index, extension: rendition.format.fileExtension)
        outcome.renditions = [
            FetchedRendition(
                file: name,
                size: rendition.size,
                bytes: ByteCount(rendition.bytes.count),
                format: rendition.format
            )
        ]
        outcome.describe([rendition])
        return outcome
    }

    /// What has become of an entry of which nothing was made.
    package static func failed(_ item: ListItem, _ failure: LoadError) -> FetchOutcome {
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
        outcome.renditions = record.made.map { FetchedRendition($0, of: item.index) }
        outcome.sourceSize = record.sourceSize
        outcome.sourceFormat = record.sourceFormat
        outcome.sourceFrames = record.sourceFrames
        outcome.sourceBytes = ByteCount(record.sourceBytes)
        return outcome
    }

    /// Tells the source and the costs: what several renditions shared counts once.
    private mutating func describe(_ renditions: [Rendition]) {
        guard let first = renditions.first else { return }
        sourceSize = first.source.size
        sourceFormat = first.source.format
        sourceFrames = first.source.frames
        sourceBytes = first.sourceBytes
        isPartial = renditions.contains(where: \.isPartial)
        decoder = renditions.compactMap(\.decoder).first
        // The first that holds of any of them says what the entry has cost.
        cache =
            [.miss, .revalidated, .stale].first { use in renditions.contains { $0.cache == use } } ?? .hit
        attempts = renditions.map(\.attempts).max() ?? 0
        timings = LoadTimings(sharedBy: renditions.map(\.timings))
    }
}

extension LoadTimings {
    /// The times of renditions that were made together: each has an encoding of its own, and they share the rest.
    fileprivate init(sharedBy timings: [LoadTimings]) {
        self.init()
        for each in timings {
            queue = max(queue, each.queue)
            dns = max(dns, each.dns)
            connect = max(connect, each.connect)
            firstByte = max(firstByte, each.firstByte)
            body = max(body, each.body)
            decode = max(decode, each.decode)
            encode += each.encode
            total = max(total, each.total)
        }
    }
}

/// A file that an entry of the list became.
public struct FetchedRendition: Hashable, Sendable {
    /// The file's name in the folder.
    public let file: String
    /// The picture's size.
    public let size: PixelSize
    /// The file's length.
    public let bytes: ByteCount
    /// What it is encoded as.
    public let format: ImageFormat
}

extension FetchedRendition {
    init(_ made: StateRecord.Made, of index: Int) {
        file = made.fileName(of: index)
        size = made.size
        bytes = ByteCount(made.bytes)
        format = made.format
    }
}
