import Calotype
import CalotypeOrigin
import ExampleKit
import FoundationEssentials

/// Shows users' pages: one that loads, one with an error in its place, and one that is left while it loads.
@main
struct Main {
    private static let folder = FileManager.default.temporaryDirectory.appending(path: "user-page-\(UUID())")

    static func main() async {
        await Example.run {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            try await withSampleOrigin(faults: "latency=50ms") { origin in
                try await withThreadExecutor(name: "page cache", threads: 1) { disk in
                    let cache = PageCache(folder: folder, disk: disk, largestCount: 2)
                    try await withImagePipeline { pipeline in
                        try await visit(origin, pipeline, cache)
                    }
                }
            }
            // The pipeline's scope has ended, and so has its background work.
            let kept = try PageCache.names(in: folder)
            print("kept in the cache: \(kept.joined(separator: ", "))")
            try Example.expect(kept.count == 2, "2 avatars in the cache")
        }
    }

    @MainActor
    private static func visit(_ origin: Origin, _ pipeline: ImagePipeline, _ cache: PageCache) async throws {
        let page = UserPage(PageLoader(pipeline: pipeline), cache)
        for user in 1...3 {
            page.show(origin.userURL(user))
            await page.finish()
            guard case .content(let content) = page.state else { throw unexpected(page) }
            show(content)
        }
        for (reason, url) in [
            ("a picture is broken", origin.userURL(4, broken: 1)), ("no such user", origin.userURL(1000)),
        ] {
            page.show(url)
            await page.finish()
            guard case .failure(let message) = page.state else { throw unexpected(page) }
            print("\(reason): \(message)")
        }
        page.show(origin.userURL(5))
        _ = try await origin.statistics { $0.requestsByPrefix["/robots", default: 0] == 5 }
        let time = await ContinuousClock().measure { await page.leave() }
        guard case .empty = page.state else { throw unexpected(page) }
        print("left while it loaded: empty after \(time.milliseconds)")
    }

    private static func show(_ content: PageContent) {
        print(content.info)
        print("  avatar \(content.avatar.size), \(content.pictures.count) pictures")
        print("  certificates: \(content.certificates.map(\.title).joined(separator: ", "))")
        for card in content.cards { print("  \(card)") }
    }

    @MainActor
    private static func unexpected(_ page: UserPage) -> Example.Failure {
        Example.Failure(description: "the page shows \(page.state)")
    }
}
