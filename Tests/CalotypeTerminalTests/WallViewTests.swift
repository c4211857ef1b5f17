import Calotype
import CalotypeCatalog
import CalotypeCore
import CalotypeTestKit
import Testing

@testable import CalotypeTerminal

@MainActor
@Suite(.timeLimit(.minutes(1)))
struct WallViewTests {
    private static let list = WallSource.pictures(
        title: "A list",
        (0..<1000).map { CatalogPicture(url: "https://a.test/\($0)", title: "picture \($0)") }
    )

    @Test func `visible cells load, those that leave are cancelled, those that return appear immediately`()
        async throws
    {
        try await ScriptedWall.open(Self.list) { wall in
            try await wall.pictures.asked.wait(count: 8)
            #expect(Set(wall.pictures.asked.values) == Set((0..<8).map { "https://a.test/\($0)" }))
            wall.pictures.give(.success(ScriptedWall.picture), to: "https://a.test/0")
            try await wall.untilFrame { $0.pictureAreas.count == 1 }
            wall.press(.down, .down)
            try await wall.pictures.cancelled.wait(count: 3)
            #expect(Set(wall.pictures.cancelled.values) == Set((1..<4).map { "https://a.test/\($0)" }))
            try await wall.pictures.asked.wait(count: 12)
            wall.press(.up, .up)
            #expect(wall.frames.values.last?.pictureAreas.count == 1)
            #expect(wall.view.pictures?.loadCount == 7)
            try await wall.pictures.asked.wait(count: 15)
            #expect(wall.pictures.asked.values.count { $0 == "https://a.test/0" } == 1)
        }
    }

    @Test func `however fast one scrolls, no more than the cells in sight load`() async throws {
        try await ScriptedWall.open(Self.list) { wall in
            for _ in 0..<250 {
                wall.press(.down)
                #expect(wall.view.pictures?.loadCount == 8)
            }
            wall.press(.end)
            #expect(wall.view.machine.cellsInSight == 992..<1000)
            try await wall.pictures.asked.wait(count: 8)
            #expect(wall.view.pictures?.loadCount == 8)
        }
    }

    @Test func `a failure shows its code in its cell, and r tries again`() async throws {
        try await ScriptedWall.open(Self.list) { wall in
            try await wall.pictures.asked.wait(count: 8)
            let error = CalotypeError(.http(status: 404), "gone", stage: .response)
            wall.pictures.give(.failure(error), to: "https://a.test/3")
            try await wall.untilFrame { $0.plainText.contains("http_404") }
            wall.press(.character("r"))
            try await wall.pictures.asked.wait(count: 9)
            #expect(wall.pictures.asked.values.last == "https://a.test/3")
            #expect(!wall.text.contains("http_404"))
        }
    }

    @Test func `a search goes from loading to results, and a new one cancels it`() async throws {
        try await ScriptedWall.open(.search(AppStoreQuery("camera"))) { wall in
            #expect(wall.text.contains("Searching for “camera”"))
            wall.search("photo")
            try await wall.searches.cancelled.wait(count: 1)
            #expect(wall.text.contains("Searching for “photo”"))
            try await wall.searches.asked.wait(count: 2)
            wall.searches.give(.success(ScriptedWall.answer("photo", apps: 5)), to: "photo")
            try await wall.untilFrame { $0.plainText.contains("1. App 0") }
            #expect(wall.text.contains("App Store (us): photo"))
            #expect(wall.text.contains("1/5"))
        }
    }

    @Test func `a search without results and one that failed say so`() async throws {
        try await ScriptedWall.open(.search(AppStoreQuery("zzz"))) { wall in
            try await wall.searches.asked.wait(count: 1)
            wall.searches.give(.success(ScriptedWall.answer("zzz", apps: 0)), to: "zzz")
            try await wall.untilFrame { $0.plainText.contains("No apps were found for “zzz”") }
            wall.search("a")
            try await wall.searches.asked.wait(count: 2)
            wall.searches.give(
                .failure(CatalogError(.rateLimited, "The store was asked too often.")),
                to: "a"
            )
            try await wall.untilFrame {
                $0.plainText.contains("rate_limited: The store was asked too often.")
            }
            wall.press(.character("r"))
            try await wall.searches.asked.wait(count: 3)
            #expect(wall.searches.asked.values.last == "a")
        }
    }

    @Test func `Escape cancels a search under way, and leads back from its results`() async throws {
        try await ScriptedWall.open(Self.list) { wall in
            wall.search("a")
            try await wall.searches.asked.wait(count: 1)
            wall.press(.escape)
            try await wall.searches.cancelled.wait(count: 1)
            #expect(wall.text.contains("picture 0"))
            wall.search("b")
            try await wall.searches.asked.wait(count: 2)
            wall.searches.give(.success(ScriptedWall.answer("b", apps: 2)), to: "b")
            try await wall.untilFrame { $0.plainText.contains("2. App 1") }
            wall.press(.escape)
            #expect(wall.text.contains("picture 0"))
        }
    }

    @Test func `an open app loads its screenshots, and leaving it cancels them`() async throws {
        try await ScriptedWall.open(.search(AppStoreQuery("camera"))) { wall in
            try await wall.searches.asked.wait(count: 1)
            wall.searches.give(.success(ScriptedWall.answer("camera", apps: 3)), to: "camera")
            try await wall.pictures.asked.wait(count: 3)
            wall.press(.enter)
            #expect(wall.text.contains("4.53 of 5 (120 ratings) · Free · version 1.2"))
            try await wall.pictures.cancelled.wait(count: 3)
            try await wall.pictures.asked.wait(count: 8)
            let screenshots = wall.pictures.open.filter { $0.hasPrefix("https://apps.test/0/") }
            #expect(screenshots.count >= 4)
            wall.press(.escape)
            try await wall.pictures.cancelled.wait(count: 3 + screenshots.count)
            #expect(wall.text.contains("3. App 2"))
        }
    }

    @Test func `an album is loaded, and again when that failed`() async throws {
        try await ScriptedWall.open(.album(7)) { wall in
            #expect(wall.text.contains("Loading album 7"))
            try await wall.albums.asked.wait(count: 1)
            wall.albums.give(.failure(CatalogError(.http(status: 503), "No answer now.")), to: "7")
            try await wall.untilFrame { $0.plainText.contains("http_503: No answer now.") }
            wall.press(.character("r"))
            try await wall.albums.asked.wait(count: 2)
            let photo = AlbumPhoto(
                id: 1,
                title: "A photo",
                url: "https://a.test/1",
                thumbnailURL: "https://a.test/s/1"
            )
            wall.albums.give(.success([photo]), to: "7")
            try await wall.pictures.asked.wait(count: 1)
            #expect(wall.text.contains("A photo"))
            wall.press(.enter)
            try await wall.pictures.asked.wait(count: 2)
            #expect(wall.pictures.asked.values == ["https://a.test/s/1", "https://a.test/1"])
        }
    }

    @Test func `nothing is drawn when nothing has changed`() async throws {
        try await ScriptedWall.open(Self.list) { wall in
            let count = wall.frames.count
            wall.press(.up, .left, .tab)
            wall.view.draw()
            #expect(wall.frames.count == count)
            wall.press(.control("l"))
            #expect(wall.redraws.count == 1)
        }
    }

    @Test func `after a resize the selection is in sight and cells of the new size load`() async throws {
        try await ScriptedWall.open(Self.list) { wall in
            wall.press(.end)
            let goesOn = wall.view.take(.resized(ScreenSize(columns: 30, rows: 10)))
            #expect(goesOn)
            #expect(wall.view.machine.cellsInSight == 998..<1000)
            #expect(wall.view.pictures?.loadCount == 2)
            #expect(wall.text.contains("picture 999"))
            _ = wall.view.take(.resized(ScreenSize(columns: 5, rows: 3)))
            #expect(wall.view.pictures?.loadCount == 0)
            #expect(wall.text.hasPrefix("This"))
        }
    }

    @Test func `q ends the wall, and q in a term does not`() async throws {
        try await ScriptedWall.open(Self.list) { wall in
            #expect(wall.press(.character("/"), .character("q")))
            #expect(!wall.press(.escape, .character("q")))
        }
    }

    @Test func `other input is drawn after a pause, a key immediately, and q ends the run`() async throws {
        let (queue, clock) = (EventQueue(onRoom: {}), ManualClock())
        try await ScriptedWall.open(Self.list, begins: false) { wall in
            async let running: Void = wall.view.run(TerminalEvents(queue: queue), wall.tally, clock: clock)
            try await wall.pictures.asked.wait(count: 8)
            try await clock.waitForSleepers(1)
            wall.pictures.give(.success(ScriptedWall.picture), to: "https://a.test/0")
            wall.pictures.give(.success(ScriptedWall.picture), to: "https://a.test/1")
            while wall.view.pictures?.loadCount != 6 { await Task.yield() }
            #expect(wall.frames.values.last?.pictureAreas.isEmpty == true)
            clock.advance(by: .milliseconds(33))
            try await wall.untilFrame { $0.pictureAreas.count == 2 }
            try await clock.waitForSleepers(1)
            queue.add([.down])
            try await wall.untilFrame { $0.plainText.contains(" 5/1000") }
            queue.add([.character("q")])
            try await running
        }
    }

    @Test func `without pictures there are the words, and nothing loads`() async throws {
        try await ScriptedWall.open(Self.list, showsPictures: false) { wall in
            #expect(wall.view.pictures == nil)
            wall.press(.down)
            #expect(wall.text.contains("picture 4"))
            #expect(wall.text.contains("5/1000"))
        }
    }
}
