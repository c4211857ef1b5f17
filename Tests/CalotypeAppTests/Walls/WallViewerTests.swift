import CalotypeHTTP
import CalotypeOrigin
import CalotypeServer
import CalotypeTestKit
import Testing

@testable import CalotypeApp

/// Walls whose pages are left, opened again, cancelled and retried.
@Suite(.timeLimit(.minutes(1)))
struct WallViewerTests {
    private typealias Order = WallTests.Order

    private let clock = ManualClock()

    /// Runs `body` with an app whose time stands still.
    private func open(_ body: (LiveApp) async throws -> Void) async throws {
        try await LiveApp.open(configure: { app, _ in app.clock = clock }, body)
    }

    /// Begins a wall of which one picture is loaded and `count` hang, and leaves it; returns its name.
    private func left(_ app: LiveApp, hanging count: Int = 10) async throws -> String {
        let urls = [app.photo()] + (0..<count).map { app.origin.url("/hang?\($0)") }
        return try await app.withEvents(.post, "/api/walls", json: Order(urls: urls, side: 32)) { events in
            let beginning = try #require(try await events.next()).json(as: WallTests.Beginning.self)
            let first = try #require(try await events.next()).json(as: WallTests.Progress.self)
            // The run may be ahead of its stream.
            #expect(beginning.known <= 1)
            #expect(first.entries.map(\.status) == ["ok"] && first.loading == count)
            _ = try await app.origin.statistics { $0.requestsByPrefix["/hang"] ?? 0 >= count }
            return beginning.id
        }
    }

    private func summary(_ id: String, _ app: LiveApp) async throws -> JSONValue {
        let list = try await app.get("/api/walls").json["walls"]?.array
        return try #require(list?.first { $0["id"]?.text == id })
    }

    /// Waits until the server knows that nobody watches the wall.
    private func untilLeft(_ id: String, _ app: LiveApp) async throws {
        while try await summary(id, app)["secondsLeft"] == nil { await Task.yield() }
    }

    @Test func `a wall that nobody watches ends after a minute, and its requests are closed`() async throws {
        try await open { app in
            let id = try await left(app)
            try await untilLeft(id, app)
            clock.advance(by: .seconds(20))
            var listed = try await summary(id, app)
            #expect(listed["state"]?.text == "running" && listed["secondsLeft"]?.number == 40)
            #expect(app.origin.statistics.earlyHangUps == 0)
            while app.origin.statistics.earlyHangUps < 10 {
                clock.advance(by: .seconds(1))
                await Task.yield()
            }
            // The events of a running wall would wait for the clock, which stands still.
            while try await summary(id, app)["state"]?.text == "running" { await Task.yield() }
            let events = try await app.events("/api/walls/\(id)/events") {
                try await WallTests.result(of: &$0)
            }
            #expect(events.ending == "abandoned" && events.ok == 1 && events.known == 1 && events.total == 11)
            listed = try await summary(id, app)
            #expect(listed["state"]?.text == "abandoned" && listed["secondsLeft"] == nil)
            // Finished entries can still be downloaded.
            let report = try await app.send(.get, "/api/walls/\(id)/report")
            #expect(report.text.split(separator: "\n").count == 1)
        }
    }

    @Test func `a short look at a wall begins its minute again`() async throws {
        try await open { app in
            let id = try await left(app)
            try await untilLeft(id, app)
            for _ in 0..<5 {
                clock.advance(by: .seconds(40))
                #expect(try await app.get("/api/walls/\(id)").json["secondsLeft"]?.number == 60)
            }
            #expect(app.origin.statistics.earlyHangUps == 0)
            while app.origin.statistics.earlyHangUps < 10 {
                clock.advance(by: .seconds(1))
                await Task.yield()
            }
            while try await summary(id, app)["state"]?.text == "running" { await Task.yield() }
            #expect(try await app.get("/api/walls/\(id)").json["state"]?.text == "abandoned")
            #expect(try await app.send(.get, "/api/walls/nowhere").status == 404)
        }
    }

    @Test func `a viewer who returns in time gets the whole wall and keeps it running`() async throws {
        try await open { app in
            let id = try await left(app)
            try await untilLeft(id, app)
            clock.advance(by: .seconds(59))
            try await app.events("/api/walls/\(id)/events") { events in
                let beginning = try #require(try await events.next()).json(as: WallTests.Beginning.self)
                #expect(beginning.id == id && beginning.known == 1 && beginning.total == 11)
                let first = try #require(try await events.next()).json(as: WallTests.Progress.self)
                #expect(first.entries.map(\.index) == [0] && first.loading == 10)
                clock.advance(by: .seconds(600))
                let listed = try await summary(id, app)
                #expect(listed["state"]?.text == "running" && listed["secondsLeft"] == nil)
            }
            // The minute begins anew.
            try await untilLeft(id, app)
            #expect(try await summary(id, app)["secondsLeft"]?.number == 60)
            #expect(app.origin.statistics.earlyHangUps == 0)
        }
    }

    @Test func `cancelling a wall ends it before the response, and its viewers are told`()
        async throws
    {
        try await LiveApp.open { app in
            let urls = (0..<10).map { app.origin.url("/hang?\($0)") }
            try await app.withEvents(.post, "/api/walls", json: Order(urls: urls, side: 32)) { events in
                let beginning = try #require(try await events.next()).json(as: WallTests.Beginning.self)
                _ = try await app.origin.statistics { $0.requestsByPrefix["/hang"] ?? 0 >= 10 }
                for _ in 0..<2 {
                    let answer = try await app.send(.delete, "/api/walls/\(beginning.id)")
                    #expect(answer.status == 204)
                    #expect(try await summary(beginning.id, app)["state"]?.text == "cancelled")
                }
                let ending = try #require(try await events.next()).json(as: WallTests.Ending.self)
                #expect(ending.ending == "cancelled" && ending.ok == 0 && ending.failed == 0)
                #expect(try await events.next() == nil)
            }
            _ = try await app.origin.statistics { $0.earlyHangUps >= 10 }
            let unknown = try await app.send(.delete, "/api/walls/nowhere")
            #expect(unknown.status == 404)
        }
    }

    @Test func `a retry loads what failed and what was not loaded, and asks the origin again`()
        async throws
    {
        try await LiveApp.open { app in
            let urls = [app.photo(1), app.origin.url("/flaky/1/photo.jpg"), app.origin.url("/status/404")]
            let wall = try await WallTests.load(app, Order(urls: urls, side: 32))
            #expect(wall.ok == 1 && wall.failed == 2)
            let path = "/api/walls/\(wall.id)/retry"
            func retry(_ order: [String: [Int]]) async throws -> WallTests.Result {
                try await app.withEvents(.post, path, json: order) { try await WallTests.result(of: &$0) }
            }
            let before = app.origin.statistics.requests
            let one = try await retry(["entries": [2, 0, 77]])
            #expect((2...3).contains(one.known) && one.ok == 1 && one.failed == 2)
            // The origin is asked again, although it said that the picture does not exist.
            #expect(app.origin.statistics.requests == before + 1)
            let all = try await retry([:])
            #expect((1...3).contains(all.known) && all.ok == 2 && all.failed == 1 && all.ending == "finished")
            #expect(all.entries.map(\.index).sorted() == [0, 1, 2])
            let report = try await app.send(.get, "/api/walls/\(wall.id)/report")
            #expect(report.text.split(separator: "\n").count == 3)
            let nothing = try await app.post(path, #"{"entries": [0, 1]}"#)
            #expect(nothing.status == 422 && nothing.code == "nothing_to_retry")
            #expect(try await app.post("/api/walls/nowhere/retry", "{}").status == 404)
        }
    }

    @Test func `a running wall is not retried, and a cancelled one can be completed`() async throws {
        try await open { app in
            let id = try await left(app, hanging: 2)
            let answer = try await app.post("/api/walls/\(id)/retry", "{}")
            #expect(answer.status == 409 && answer.code == "still_running")
            _ = try await app.send(.delete, "/api/walls/\(id)")
            try await app.withEvents(.post, "/api/walls/\(id)/retry", json: [String: [Int]]()) { events in
                let beginning = try #require(try await events.next()).json(as: WallTests.Beginning.self)
                #expect(beginning.known == 1)
                _ = try await app.origin.statistics { $0.requestsByPrefix["/hang"] ?? 0 >= 4 }
                #expect(try await summary(id, app)["state"]?.text == "running")
            }
        }
    }

    @Test func `a new wall replaces the one that was left first, never one that is watched`()
        async throws
    {
        try await open { app in
            let order = Order(urls: [app.origin.url("/hang")], side: 32)
            var ids: [String] = []
            for _ in 0..<16 {
                ids.append(
                    try await app.withEvents(.post, "/api/walls", json: order) { events in
                        try #require(try await events.next()).json(as: WallTests.Beginning.self).id
                    }
                )
                try await untilLeft(ids[ids.count - 1], app)
                clock.advance(by: .seconds(1))
            }
            let (first, second) = (ids[0], ids[1])
            // The first one is watched again.
            try await app.events("/api/walls/\(first)/events") { events in
                _ = try await events.next()
                try await app.withEvents(.post, "/api/walls", json: order) { events in
                    _ = try await events.next()
                    #expect(try await summary(first, app)["state"]?.text == "running")
                    let states = try await app.get("/api/walls").json["walls"]?.array?.map {
                        $0["state"]?.text
                    }
                    #expect(states == Array(repeating: "running", count: 16))
                    let list = try await app.get("/api/walls").json["walls"]?.array
                    #expect(list?.contains { $0["id"]?.text == second } == false)
                }
            }
        }
    }
}
