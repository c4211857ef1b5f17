import CalotypeCore
import CalotypeFiles
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

    /// The temporary file that it is in; `nil` for one that an earlier load has left.
    var file: SpoolFile? {
        guard case .spool(let file, _) = place else { return nil }
        return file
    }

    /// The codes of transfers that were cut: what came before is right.
    static let cuts: Set<ErrorCode> = [
        .truncatedBody, .connectionReset, .timeoutIdle, .timeoutTotal, .tooSlow,
    ]

    /// What a response to a request for the rest is of use for.
    enum Use {
        /// It has the rest.
        case rest(Continuation)
        /// It has the whole, or is an error.
        case whole
        /// The whole must be requested.
        case nothing
    }

    /// The beginning, and a response that has the rest.
    struct Continuation {
        let beginning: SourceBeginning
        /// The length of the whole.
        let total: ByteCount
    }

    /// How to continue with the body of `response`.
    func use(of response: HTTPResponse) -> Use {
        switch point.step(status: response.status, headers: response.headers) {
        // A validator means something only where it came from.
        case .append(let total) where version.url == response.url.text:
            .rest(Continuation(beginning: self, total: total))
        case .startAnew, .other: .whole
        case .append, .askAgain: .nothing
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

/// The beginnings of sources: in temporary files during a load, and in a folder after it, if the pipeline has one.
struct SourceBeginnings: Sendable {
    /// How many temporary files may be open at a time; a source that finds none free starts again.
    private let files: AdmissionGate
    private let downloads: PartialDownloads?
    private let judge: CacheJudge
    private let headers: [HeaderField]
    private let disk: any TaskExecutor
    private let spoolFolder: String

    init(_ configuration: PipelineConfiguration, judge: CacheJudge, disk: any TaskExecutor) {
        let cache = configuration.diskCache.flatMap { $0.isReadOnly ? nil : PartialDownloads(in: $0.folder) }
        files = AdmissionGate(capacity: configuration.connections * 2)
        downloads = configuration.partialDownloads ?? cache
        self.judge = judge
        self.disk = disk
        spoolFolder = SpoolFile.defaultFolder
        headers = configuration.headers
    }

    /// The stored beginning of the source, if a load may continue it; it stays in its folder.
    func find(_ key: SourceKey) async -> SourceBeginning? {
        guard let downloads, key.cachePolicy != .noStore, let name = StoreKey(key, sentWith: headers)
        else { return nil }
        // What cannot be read is loaded from the start.
        let beginning = try? await disk.run {
            try downloads.look(name).map {
                try SourceBeginning(record: $0.metadata, count: $0.count, keptAs: name)
            }
        }
        guard let beginning, beginning.point.count <= key.limits.sourceBytes,
            beginning.version.response.variant.matches(judge.sent(key.headers))
        else { return nil }
        return beginning
    }

    /// The file with the bytes of `beginning`; `nil` if they are gone or damaged by now.
    func take(_ beginning: SourceBeginning) async -> SpoolFile? {
        guard case .kept(let name) = beginning.place else { return beginning.file }
        // Without room for the bytes they are loaded again.
        return try? await disk.run { [downloads, spoolFolder] in
            guard let downloads, let entry = downloads.take(name), entry.metadata == beginning.record,
                entry.bytes.count == beginning.point.count.bytes
            else { return nil }
            let file = try SpoolFile(in: spoolFolder)
            try file.append(entry.bytes)
            return file
        }
    }

    /// Removes the beginning if it is stored.
    func forget(_ beginning: SourceBeginning?) async {
        guard let downloads, case .kept(let name) = beginning?.place else { return }
        // Nothing to lose: the folder removes its oldest files.
        try? await disk.run { downloads.remove(name) }
    }

    /// Moves the bytes of a cut body to a temporary file; `nil` if there is no room for one.
    func park(_ body: inout SourceBody) async -> SourceBeginning.Place? {
        guard let permit = files.tryAcquire(), let file = try? await body.park() else { return nil }
        return .spool(file, permit)
    }

    /// Stores the beginning, if that is allowed and worth it.
    func keep(_ beginning: SourceBeginning, for key: SourceKey) async {
        guard let downloads, let file = beginning.file, isWorthKeeping(beginning.point.count),
            key.cachePolicy.writes, beginning.version.isKeepable, let name = StoreKey(key, sentWith: headers)
        else { return }
        // What cannot be kept is loaded again.
        try? await disk.run {
            let bytes = try file.read(beginning.point.count.bytes)
            downloads.keep(StoredEntry(metadata: beginning.record, bytes: bytes), for: name)
        }
    }

    /// Whether a beginning of that length is stored after its load.
    func isWorthKeeping(_ count: ByteCount) -> Bool {
        guard let downloads else { return false }
        return (PartialDownloads.shortest...max(downloads.byteLimit, PartialDownloads.shortest)).contains(
            count
        )
    }
}
