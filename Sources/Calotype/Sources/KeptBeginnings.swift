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
        guard let downloads = configuration.partialDownloads else { return nil }
        self.downloads = downloads
        self.judge = judge
        self.disk = disk
        self.spoolFolder = spoolFolder
        headers = configuration.headers
    }

    /// Takes the beginning of the source, which is then kept no more.
    func take(_ key: SourceKey) async -> SourceBeginning? {
        guard key.cachePolicy != .noStore, let name = StoreKey(key, sentWith: headers) else { return nil }
        let beginning = try? await disk.run { [downloads, spoolFolder] in
            downloads.take(name).flatMap { SourceBeginning($0, spoolFolder: spoolFolder) }
        }
        guard let beginning, beginning.point.count <= key.limits.sourceBytes,
            beginning.version.response.variant.matches(judge.sent(key.headers))
        else { return nil }
        return beginning
    }

    /// Keeps the beginning, as far as that is allowed and worth it.
    func keep(_ beginning: SourceBeginning, for key: SourceKey) async {
        guard isWorthKeeping(beginning.point.count), key.cachePolicy.writes, beginning.version.isKeepable,
            let name = StoreKey(key, sentWith: headers)
        else { return }
        // What cannot be kept is loaded again.
        try? await disk.run { [downloads] in downloads.keep(try beginning.entry(), for: name) }
    }

    func isWorthKeeping(_ count: ByteCount) -> Bool {
        (PartialDownloads.shortest...max(downloads.byteLimit, PartialDownloads.shortest)).contains(count)
    }
}
