import CalotypeCore
import CalotypeFiles
import CalotypeHTTP
import CalotypeStore
import TaskFlow

/// The beginning of a body whose transfer was cut.
///
/// Another attempt may continue from its end.
struct SourceBeginning: Sendable {
    enum Place: Sendable {
        /// In a temporary file of this load.
        ///
        /// The permit allows it to be open.
        case spool(SpoolFile, Permit)
        /// In a file of an earlier load, under this name.
        case kept(StoreKey)
    }

    let place: Place
    /// The version that the bytes belong to.
    let version: SourceVersion
    /// The position and validator for resuming.
    let point: ResumePoint

    /// The temporary file that contains it; `nil` if an earlier load stored it.
    var file: SpoolFile? {
        guard case .spool(let file, _) = place else { return nil }
        return file
    }

    /// The codes of cut transfers.
    ///
    /// Bytes that arrived before the cut are correct.
    static let cuts: Set<ErrorCode> = [
        .truncatedBody, .connectionReset, .timeoutIdle, .timeoutTotal, .tooSlow,
    ]

    /// How to use a response to a request for the rest.
    enum Use {
        /// It contains the rest.
        case rest(Continuation)
        /// It contains the whole body, or is an error.
        case whole
        /// It is of no use: request the whole body.
        case nothing
    }

    /// A beginning, and a response with the rest.
    struct Continuation {
        let beginning: SourceBeginning
        /// The length of the whole body.
        let total: ByteCount
    }

    /// Returns how to continue with the body of `response`.
    func use(of response: HTTPResponse) -> Use {
        switch point.step(status: response.status, headers: response.headers) {
        // A validator is meaningful only for the URL that sent it.
        case .append(let total) where version.url == response.url.text:
            .rest(Continuation(beginning: self, total: total))
        case .startAnew, .other: .whole
        case .append, .askAgain: .nothing
        }
    }
}

extension SourceBeginning {
    private static let layout: UInt8 = 2

    /// The record stored with the bytes.
    var record: [UInt8] {
        var writer = RecordWriter(version: Self.layout)
        version.write(to: &writer)
        writer.add(optional: point.total) { $0.add($1.bytes) }
        return writer.bytes
    }

    /// Restores the beginning of `count` bytes stored under `name` with this record.
    ///
    /// - Throws: `SystemError` if the record is invalid, or does not allow resuming.
    init(record: [UInt8], count: ByteCount, keptAs name: StoreKey) throws(SystemError) {
        var reader = try RecordReader(record, version: Self.layout)
        version = try SourceVersion(&reader)
        let total = try reader.optional { reader throws(SystemError) in
            ByteCount(try reader.number())
        }
        try reader.finish()
        let point = ResumePoint(count: count, total: total, validators: version.response.validators)
        guard let point else { throw .notARecord }
        self.point = point
        place = .kept(name)
    }
}

/// The beginnings of sources: in temporary files during a load, and afterwards in the pipeline's folder.
struct SourceBeginnings: Sendable {
    /// Limits the open temporary files.
    ///
    /// A source that finds none free starts again.
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

    /// Returns the stored beginning of the source if a load may continue it.
    ///
    /// It stays in its folder.
    func find(_ key: SourceKey) async -> SourceBeginning? {
        guard let downloads, key.cachePolicy != .noStore, let name = StoreKey(key, sentWith: headers)
        else { return nil }
        // If it cannot be read, the source is loaded from the start.
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

    /// Returns the file with the bytes of `beginning`, or `nil` if they have been removed or damaged.
    func take(_ beginning: SourceBeginning) async -> SpoolFile? {
        guard case .kept(let name) = beginning.place else { return beginning.file }
        // Without space for the bytes, they are loaded again.
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
        // Nothing is lost: the folder removes its oldest files.
        try? await disk.run { downloads.remove(name) }
    }

    /// Removes the stored beginnings of the sources of a group, or all if it is `nil`.
    func removeAll(in group: StoreGroup?) async {
        guard let downloads else { return }
        // If the folder cannot be used, nothing in it is used either.
        try? await disk.run {
            if let group { downloads.removeAll(in: group) } else { downloads.removeAll() }
        }
    }

    /// Moves the bytes of a cut body to a temporary file.
    ///
    /// Returns `nil` if there is no space for one.
    func park(_ body: inout SourceBody) async -> SourceBeginning.Place? {
        guard let permit = files.tryAcquire(), let file = try? await body.park() else { return nil }
        return .spool(file, permit)
    }

    /// Stores the beginning if that is allowed and worthwhile.
    func keep(_ beginning: SourceBeginning, for key: SourceKey) async {
        guard let downloads, let file = beginning.file, isWorthKeeping(beginning.point.count),
            key.cachePolicy.writes, beginning.version.isKeepable, let name = StoreKey(key, sentWith: headers)
        else { return }
        // If it cannot be stored, it is loaded again.
        try? await disk.run {
            let bytes = try file.read(beginning.point.count.bytes)
            downloads.keep(StoredEntry(metadata: beginning.record, bytes: bytes), for: name)
        }
    }

    /// Returns whether a beginning of that length is worth storing after its load.
    func isWorthKeeping(_ count: ByteCount) -> Bool {
        guard let downloads else { return false }
        return (PartialDownloads.shortest...max(downloads.byteLimit, PartialDownloads.shortest)).contains(
            count
        )
    }
}
