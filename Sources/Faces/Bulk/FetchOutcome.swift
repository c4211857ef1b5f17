public import CalotypeCore

/// The outcome of one entry: a line of the report.
public struct FetchOutcome: Sendable {
    /// The kinds of outcomes.
    public enum Status: String, CaseIterable, Sendable {
        /// All renditions were made, and the files are in place.
        case ok
        /// At least one rendition failed; the code says why.
        case failed
        /// The run was interrupted first.
        case cancelled
        /// An earlier run had completed the entry with the same options.
        case skipped
    }

    /// The entry's position in the list.
    public let index: Int
    /// The URL as given, without user name and password; ``index`` identifies the entry.
    public let url: String
    /// The kind of outcome.
    public let status: Status
    /// The error code of a failure.
    public var code: ErrorCode?
    /// The error message of a failure.
    public var message: String?
    /// The files in the folder: all requested ones if ``Status/ok`` or ``Status/skipped``, otherwise some or
    /// none.
    public var renditions: [FetchedRendition] = []
    /// The size of the upright source.
    public var sourceSize: PixelSize?
    /// The source's format.
    public var sourceFormat: ImageFormat?
    /// The number of frames of the source, if the header says.
    public var sourceFrames: Int?
    /// The size of the source in bytes.
    public var sourceBytes: ByteCount?
    /// Whether the source ended early, so that the pictures are incomplete; a later run tries again.
    public var isPartial = false
    /// The decoder of the source; `nil` if none was needed.
    public var decoder: PictureDecoder?
    /// How the cache was used; `nil` if it was not queried.
    public var cache: CacheUse?
    /// Number of requests for the source, without redirects; entries that shared a download have the same
    /// number.
    public var attempts = 0
    /// The time of each stage; `nil` if nothing was loaded.
    public var timings: LoadTimings?

    init(_ item: ListItem, _ status: Status) {
        index = item.index
        url = URLCredentials.removed(from: item.url)
        self.status = status
    }
}

extension FetchOutcome {
    /// The file, if there is exactly one.
    public var file: String? { only?.file }
    /// The size of the only picture.
    public var size: PixelSize? { only?.size }
    /// The total size of all files; `nil` if there are none.
    public var bytes: ByteCount? {
        renditions.isEmpty ? nil : ByteCount(renditions.reduce(0) { $0 + $1.bytes.bytes })
    }

    private var only: FetchedRendition? { renditions.count == 1 ? renditions[0] : nil }
}

extension FetchOutcome {
    /// Returns the outcome of an entry with at least one rendition.
    static func made(_ item: ListItem, _ product: EntryProduct) -> FetchOutcome {
        var outcome = product.failure.map { failed(item, $0) } ?? FetchOutcome(item, .ok)
        outcome.renditions = product.files.map { FetchedRendition($0, of: item.index) }
        outcome.describe(product.renditions)
        return outcome
    }

    /// Returns the outcome of an entry with one picture, whose file is named by the entry's position.
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

    /// Returns the outcome with another name for its file, before the extension.
    package func naming(_ stem: String) -> FetchOutcome {
        var outcome = self
        outcome.renditions = renditions.map {
            FetchedRendition(
                file: "\(stem).\($0.format.fileExtension)",
                size: $0.size,
                bytes: $0.bytes,
                format: $0.format
            )
        }
        return outcome
    }

    /// Returns the outcome of an entry without renditions.
    package static func failed(_ item: ListItem, _ error: CalotypeError) -> FetchOutcome {
        var outcome = FetchOutcome(item, .failed)
        let load = error.load ?? LoadDetails()
        outcome.code = error.code
        outcome.message = error.message
        outcome.cache = error.stage == .request ? nil : load.cache
        outcome.attempts = load.attempts
        outcome.timings = load.timings
        outcome.sourceSize = load.source?.size
        outcome.sourceFormat = load.source?.format
        outcome.sourceFrames = load.source?.frames
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

    /// Records the source and the costs; shared costs count once.
    private mutating func describe(_ renditions: [Rendition]) {
        guard let first = renditions.first else { return }
        sourceSize = first.source.size
        sourceFormat = first.source.format
        sourceFrames = first.source.frames
        sourceBytes = first.sourceBytes
        isPartial = renditions.contains(where: \.isPartial)
        decoder = renditions.compactMap(\.decoder).first
        // The first of these that applies to any rendition describes the entry's cost.
        cache =
            [.miss, .revalidated, .stale].first { use in renditions.contains { $0.cache == use } } ?? .hit
        attempts = renditions.map(\.attempts).max() ?? 0
        timings = LoadTimings(sharedBy: renditions.map(\.timings))
    }
}

extension LoadTimings {
    /// Combines the times of renditions made together: encoding times add up, and other times are shared.
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

/// An output file of an entry.
public struct FetchedRendition: Hashable, Sendable {
    /// The file's name in the folder.
    public let file: String
    /// The size of the picture in pixels.
    public let size: PixelSize
    /// The size of the file.
    public let bytes: ByteCount
    /// The format of the file.
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
