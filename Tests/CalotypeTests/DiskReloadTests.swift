import CalotypeCore
import CalotypeHTTP
import CalotypeSamplePictures
import CalotypeStore
import CalotypeTestKit
import TaskFlow
import Testing

@testable import Calotype

/// Loads and reloads by several callers at once over a disk cache, against the origin's history; then by the next process.
@Suite(.timeLimit(.minutes(10)))
struct DiskReloadTests {
    /// What the origin has, and what reloads have shown of it.
    private struct History {
        var versions: [Int]
        var floors: [Int]
    }

    private static let (names, callers, loads) = (24, 8, 60)
    /// A picture's version shows in its width.
    private static let photos = (0...200).map { TinyPicture.jpeg(PixelSize(width: 16 + $0, height: 8)) }

    private let history = Guarded(
        History(versions: .init(repeating: 0, count: names), floors: .init(repeating: 0, count: names))
    )

    private func pipeline(
        _ folder: String,
        _ stores: StoredContents,
        _ body: @Sendable (ImagePipeline) async throws -> Void
    ) async throws {
        let origin = ScriptedTransport()
        origin.answer { [history] request in
            guard let name = Int(request.url.text.split(separator: "/").last ?? "") else { return nil }
            return DocumentFixture.photo(
                ["Cache-Control": "max-age=3600"],
                Self.photos[history.withLock { $0.versions[name] }]
            )
        }
        try await withDiskCache(DiskCacheConfiguration(folder: folder)) { cache in
            var configuration = PipelineConfiguration()
            configuration.exchange = origin
            configuration.store = cache
            configuration.stores = stores
            try await withImagePipeline(configuration) { try await body($0) }
        }
    }

    private func load(
        _ pipeline: ImagePipeline,
        _ name: Int,
        _ side: Int,
        _ policy: CachePolicy = .use
    ) async throws {
        let floor = history.withLock { $0.floors[name] }
        var request = ImageRequest("http://origin.test/\(name)", .fit(side, side))
        request.cachePolicy = policy
        let version = try await pipeline.rendition(for: request).source.storedSize.width - 16
        #expect(
            version >= floor,
            "\(name) at size \(side) shows version \(version), and \(floor) was shown before"
        )
        guard policy == .reload else { return }
        history.withLock { $0.floors[name] = max($0.floors[name], version) }
    }

    @Test(arguments: [StoredContents.sources, [.sources, .renditions]], 0..<RandomReloadTests.seeds / 50)
    func `no caller gets an older picture than a reload has shown, nor does the next process`(
        stores: StoredContents,
        seed: UInt64
    ) async throws {
        try await withScratchFolder { folder in
            try await pipeline(folder, stores) { pipeline in
                try await withThrowingTaskGroup { group in
                    for caller in 0..<UInt64(Self.callers) {
                        group.addTask {
                            var random = SeededRandom(seed: seed << 8 | caller)
                            for _ in 0..<Self.loads {
                                let name = Int.random(in: 0..<Self.names, using: &random)
                                if Int.random(in: 0..<3, using: &random) == 0 {
                                    history.withLock { $0.versions[name] = min($0.versions[name] + 1, 200) }
                                }
                                let policy: CachePolicy =
                                    Int.random(in: 0..<3, using: &random) == 0 ? .reload : .use
                                try await load(
                                    pipeline,
                                    name,
                                    [2, 4, 8].randomElement(using: &random) ?? 8,
                                    policy
                                )
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }
            // A size that was kept before a reload of another size is known to be old in the process of that reload alone.
            guard stores == .sources else { return }
            try await pipeline(folder, stores) { pipeline in
                for name in 0..<Self.names {
                    for side in [2, 4, 8] { try await load(pipeline, name, side) }
                }
            }
        }
    }
}
