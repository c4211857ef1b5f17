import CalotypeCore
import CalotypeTestKit
import FoundationEssentials
import TaskFlow
import Testing

@testable import CalotypeApp

@Suite(.timeLimit(.minutes(1)))
struct PostShelfTests {
    @Test func `a post that cannot be written down does not begin, and one that ended has ended`()
        async throws
    {
        try await withScratchFolder { path in
            try await withThreadExecutor(name: "shelf test", threads: 1) { disk in
                let folder = try AppFolder(path)
                let shelf = PostShelf(folder, disk: disk)
                try await shelf.begin(Self.post("a"), PostRun(clock: ContinuousClock()))
                try FileManager.default.removeItem(atPath: folder.posts)
                await #expect(throws: CalotypeError.self) {
                    try await shelf.begin(Self.post("b"), PostRun(clock: ContinuousClock()))
                }
                await #expect(throws: CalotypeError.self) {
                    try await shelf.update("a") { $0.state = .published }
                }
                #expect(shelf.entries.map(\.post.id) == ["a"])
                #expect(shelf.entries.map(\.post.state) == [.published])
            }
        }
    }

    private static func post(_ id: String) -> StoredPost {
        StoredPost(
            id: id,
            profile: "inbox",
            text: "Hello",
            contentWarning: nil,
            visibility: nil,
            language: nil,
            schedule: nil,
            media: [],
            again: false,
            created: 0
        )
    }
}
