import CalotypeCore
import CalotypeHTTP
import CalotypeStore
import TaskFlow

/// The beginning of a body whose transfer was cut: another attempt may go on from its end.
struct SourceBeginning: Sendable {
    enum Place: Sendable {
        /// In a temporary file of this load, which the permit allows to be open.
        case spool(SpoolFile, Permit)
        /// In a file of an earlier load, under this name.
        case kept(StoreKey)
    }

    let place: Place
    /// The version that it is the beginning of.
    let version: SourceVersion
    /// Where to go on.
    let point: ResumePoint

    /// The codes of transfers that were cut: what came before is right.
    static let cuts: Set<ErrorCode> = [
        .truncatedBody, .connectionReset, .timeoutIdle, .timeoutTotal, .tooSlow,
    ]

    /// What an answer to a request for the rest means for the bytes.
    struct Continuation {
        let beginning: SourceBeginning
        /// The length of the whole.
        let total: ByteCount
    }

    /// The answer to a request for the rest is of no use, and neither is the beginning.
    struct Useless: Error {}

    /// The way to go on with the body of `response`; `nil` where that is the whole, or an error.
    ///
    /// - Throws: `Useless` where it has to be asked for the whole.
    func continuation(by response: HTTPResponse) throws(Useless) -> Continuation? {
        switch point.step(status: response.status, headers: response.headers) {
        case .append(let total):
            // A validator means something only where it came from.
            guard version.url == response.url.text else { throw Useless() }
            return Continuation(beginning: self, total: total)
        case .startAnew, .other: return nil
        case .askAgain: throw Useless()
        }
    }
}

extension SourceBeginning {
    private static let layout: UInt8 = 2

    /// What is stored with the bytes.
    var record: [UInt8] {
        var writer = RecordWriter(version: Self.layout)
        version.write(to: &writer)
        writer.add(optional: point.total) { $0.add($1.bytes) }
        return writer.bytes
    }

    /// The beginning of `count` bytes that is kept under `name` with this record.
    ///
    /// - Throws: `RecordReader.Damage` where it is no record, or nothing to go on from.
    init(record: [UInt8], count: ByteCount, keptAs name: StoreKey) throws(RecordReader.Damage) {
        var reader = try RecordReader(record, version: Self.layout)
        version = try SourceVersion(&reader)
        let total = try reader.optional { reader throws(RecordReader.Damage) in
            ByteCount(try reader.number())
        }
        try reader.finish()
        let point = ResumePoint(count: count, total: total, validators: version.response.validators)
        guard let point else { throw RecordReader.Damage() }
        self.point = point
        place = .kept(name)
    }
}

/// Beginnings of sources that outlast their load, where the pipeline is given a place for them.
struct KeptBeginnings: Sendable {
    private let downloads: PartialDownloads
    private let judge: CacheJudge
    private let headers: [HTTPHeaders.Field]
    private let disk: any TaskExecutor
    private let spoolFolder: String

    init?(
        _ configuration: PipelineConfiguration,
        judge: CacheJudge,
        disk: any TaskExecutor,
        spoolFolder: String
    ) {
        let cache = configuration.diskCache.flatMap { $0.isReadOnly ? nil : PartialDownloads(in: $0.folder) }
        guard let downloads = configuration.partialDownloads ?? cache else { return nil }
        self.downloads = downloads
        self.judge = judge
        self.disk = disk
        self.spoolFolder = spoolFolder
        headers = configuration.headers
    }

    /// What is kept of the source, if a load may go on from there; it stays where it is.
    func find(_ key: SourceKey) async -> SourceBeginning? {
        guard key.cachePolicy != .noStore, let name = StoreKey(key, sentWith: headers) else { return nil }
        // What cannot be read is loaded from the start.
        let beginning = try? await disk.run { [downloads] in
            try downloads.look(name).map {
                try SourceBeginning(record: $0.metadata, count: $0.count, keptAs: name)
            }
        }
        guard let beginning, beginning.point.count <= key.limits.sourceBytes,
            beginning.version.response.variant.matches(judge.sent(key.headers))
        else { return nil }
        return beginning
    }

    /// Takes the bytes of `beginning` from where they are kept; `nil` where they are gone or damaged by now.
    func take(_ beginning: SourceBeginning, keptAs name: StoreKey) async -> SpoolFile? {
        // Without room for the bytes they are loaded again.
        try? await disk.run { [downloads, spoolFolder] in
            guard let entry = downloads.take(name), entry.metadata == beginning.record,
                entry.bytes.count == beginning.point.count.bytes
            else { return nil }
            let file = try SpoolFile(in: spoolFolder)
            try file.append(entry.bytes)
            return file
        }
    }

    /// Removes what is kept of the source.
    func forget(_ name: StoreKey) async {
        // Nothing to lose: a file that stays is the oldest some day.
        try? await disk.run { [downloads] in downloads.remove(name) }
    }

    /// Keeps the beginning, as far as that is allowed and worth it.
    func keep(_ beginning: SourceBeginning, for key: SourceKey) async {
        guard case .spool(let file, _) = beginning.place, isWorthKeeping(beginning.point.count),
            key.cachePolicy.writes, beginning.version.isKeepable, let name = StoreKey(key, sentWith: headers)
        else { return }
        // What cannot be kept is loaded again.
        try? await disk.run { [downloads] in
            let bytes = try file.read(beginning.point.count.bytes)
            downloads.keep(StoredEntry(metadata: beginning.record, bytes: bytes), for: name)
        }
    }

    func isWorthKeeping(_ count: ByteCount) -> Bool {
        (PartialDownloads.shortest...max(downloads.byteLimit, PartialDownloads.shortest)).contains(count)
    }
}
