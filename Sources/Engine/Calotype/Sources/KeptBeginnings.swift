import CalotypeCore
import CalotypeHTTP
import CalotypeStore
import TaskFlow

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
