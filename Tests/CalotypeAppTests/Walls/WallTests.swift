import Calotype
import CalotypeBulk
import CalotypeCore
import CalotypeHTTP
import CalotypeOrigin
import CalotypeServer
import CalotypeTestKit
import TaskFlow
import Testing

@testable import CalotypeApp

/// Walls over real sockets.
@Suite(.timeLimit(.minutes(1)))
struct WallTests {
    struct Order: Encodable {
        var urls: [String]?
        var list: String?
        var album: Int?
        var search: String?
        var side: Int?
        var format: String?
        var quality: Int?
    }

    struct Beginning: Decodable {
        let id: String
        let total: Int
        let title: String
        let known: Int
        let images: JSONValue
    }

    struct Entry: Decodable {
        let index: Int
        let url: String
        let caption: String?
        let status: String
        let src: String?
        let width: Int?
        let height: Int?
        let bytes: Int?
        let milliseconds: Double?
        let cache: String?
        let code: String?
        let message: String?
    }

    struct Progress: Decodable {
        let entries: [Entry]
        let done: Int
        let failed: Int
        let loading: Int
        let total: Int
    }

    struct Ending: Decodable {
        let ending: String
        let ok: Int
        let failed: Int
    }

    /// What came of a wall.
    struct Result: Sendable {
        var id = ""
        var title = ""
        var total = 0
        var known = 0
        var images: JSONValue?
        var entries: [Entry] = []
        var ok = 0
        var failed = 0
        var ending: String?
    }

    static func load(_ app: LiveApp, _ order: Order) async throws -> Result {
        try await app.withEvents(.post, "/api/walls", json: order) { try await result(of: &$0) }
    }

    /// Reads events until the wall has ended.
    static func result(of events: inout StreamReader) async throws -> Result {
        var result = Result()
        while let event = try await events.next() {
            switch event.name {
            case "wall":
                let beginning = try event.json(as: Beginning.self)
                (result.id, result.title, result.total) = (beginning.id, beginning.title, beginning.total)
                (result.known, result.images) = (beginning.known, beginning.images)
            case "entries":
                let progress = try event.json(as: Progress.self)
                result.entries += progress.entries
                #expect(progress.done + progress.failed >= result.entries.count)
                #expect(progress.total == result.total)
            case "end":
                let ending = try event.json(as: Ending.self)
                (result.ending, result.ok, result.failed) = (ending.ending, ending.ok, ending.failed)
            default: Issue.record("an event is called \(event.name)")
            }
        }
        return result
    }

    @Test func `every entry is reported once, with its picture or the reason`() async throws {
        try await LiveApp.open { app in
            let urls = [
                app.photo(1), app.origin.url("/status/404"), "ftp://example.org/a.jpg", app.photo(2),
                app.origin.url("/html/photo.jpg"),
            ]
            let result = try await Self.load(app, Order(urls: urls, side: 32))
            #expect(result.total == 5 && result.ending == "finished")
            #expect(result.ok == 2 && result.failed == 3)
            let entries = result.entries.sorted { $0.index < $1.index }
            #expect(entries.map(\.index) == [0, 1, 2, 3, 4])
            #expect(entries.map(\.url) == urls)
            #expect(entries.map(\.status) == ["ok", "failed", "failed", "ok", "failed"])
            #expect(
                entries.map(\.code) == [nil, "http_404", "unsupported_scheme", nil, "unsupported_format"]
            )
            #expect(entries[0].width == 32 && entries[0].height == 24 && entries[0].cache == "miss")
            #expect(entries[1].message?.isEmpty == false && entries[1].src == nil)
        }
    }

    @Test(arguments: ["*/*", "image/webp,*/*"])
    func `the picture at src needs no second download and no second decode`(accept: String) async throws {
        let events = Recorder<PipelineEvent.Kind>()
        try await LiveApp.open { server in
            server.negotiation.offered = [.webp]
            server.pipeline.observer = { events.record($0.kind) }
        } _: { app in
            let order = Order(urls: [app.photo()], side: 32)
            let body = HTTPBody(try JSONBytes.of(order))
            let fields = ["Accept": accept, "Content-Type": "application/json"]
            let text = try await app.send(.post, "/api/walls", fields, body: body).text
            let src = try #require(text.split(separator: "\"src\":\"").last?.split(separator: "\"").first)
            let made = events.count
            let picture = try await app.send(.get, String(src), ["Accept": accept])
            #expect(picture.status == 200)
            let isWebP = accept.contains("webp")
            #expect(picture.headers["Content-Type"] == (isWebP ? "image/webp" : "image/jpeg"))
            // What memory has is answered without a load.
            #expect(events.count == made)
        }
    }

    @Test func `pictures come as they end, not as they were named`() async throws {
        try await LiveApp.open { app in
            let urls = [app.origin.url("/latency/300/photo.jpg"), app.photo(1), app.photo(2)]
            let result = try await Self.load(app, Order(urls: urls, side: 32))
            #expect(result.entries.last?.index == 0 && result.ok == 3)
        }
    }

    @Test func `a list is read as fetch reads it`() async throws {
        try await LiveApp.open { app in
            let list = "\u{FEFF}# photos\r\n\r\n  \(app.photo(1))  \r\n\(app.photo(2))"
            let result = try await Self.load(app, Order(list: list, side: 32))
            #expect(result.entries.map(\.url).sorted() == [app.photo(1), app.photo(2)])
            #expect(result.title.isEmpty)
        }
    }

    @Test func `an album and a search make a wall`() async throws {
        try await LiveApp.open { app in
            let album = try await Self.load(app, Order(album: 1, side: 32))
            #expect(album.title == "Album 1" && album.total == 50 && album.ok == 50)
            let search = try await Self.load(app, Order(search: "camera", side: 64))
            #expect(search.title == "camera" && search.total > 10 && search.ok == search.total)
        }
    }

    @Test(arguments: [
        (Order(), 400, "invalid_request"), (Order(urls: [], side: 32), 422, "empty_result"),
        (Order(list: "# nothing\n"), 422, "empty_result"),
        (Order(urls: ["a"], side: 1025), 400, "invalid_request"),
        (Order(urls: ["a"], album: 1), 400, "invalid_request"),
        (Order(urls: ["a"], format: "gif"), 400, "invalid_request"),
        (Order(urls: ["a"], quality: 0), 400, "invalid_request"),
        (Order(urls: ["a"], format: "avif", quality: 101), 400, "invalid_request"),
        (Order(urls: ["a"], format: "png", quality: 80), 400, "invalid_request"),
        (Order(urls: Array(repeating: "http://a.test/", count: 10_001)), 413, "too_many_entries"),
        (Order(list: String(repeating: "http://a.test/\n", count: 10_001)), 413, "too_many_entries"),
    ])
    func `an invalid order is refused`(order: Order, status: Int, code: String) async throws {
        try await LiveApp.open { app in
            let answer = try await app.send(.post, "/api/walls", json: order)
            #expect(answer.status == status && answer.code == code)
            #expect(app.origin.statistics.requests == 0)
        }
    }

    @Test func `sources that the server does not allow are reported as failures`() async throws {
        try await LiveApp.open { server in
            server.allowsPrivateAddresses = false
        } _: { app in
            let result = try await Self.load(app, Order(urls: [app.photo()], side: 32))
            #expect(result.entries.map(\.code) == ["blocked_address"])
            #expect(app.origin.statistics.requests == 0)
        }
    }

    @Test func `an entry's picture is available in another size`() async throws {
        struct Picture: Decodable {
            let url: String
            let src: String
        }
        try await LiveApp.open { app in
            let wall = try await Self.load(app, Order(urls: [app.photo(1), app.photo(2)], side: 32))
            let answer = try await app.send(.get, "/api/walls/\(wall.id)/pictures/1?side=500")
            let picture = try answer.json(as: Picture.self)
            #expect(picture.url == app.photo(2))
            #expect(picture.src.contains("rs:fit:512:512/"))
            let image = try await app.send(.get, picture.src)
            #expect(image.status == 200)
            for path in ["\(wall.id)/pictures/2", "\(wall.id)/pictures/x", "nowhere/pictures/0"] {
                let missing = try await app.send(.get, "/api/walls/\(path)")
                #expect(missing.status == 404 && missing.code == "not_found", "\(path)")
            }
        }
    }

    @Test func `the last 16 walls are remembered`() async throws {
        try await LiveApp.open { app in
            let first = try await Self.load(app, Order(urls: [app.photo()], side: 32))
            for _ in 0..<15 { _ = try await Self.load(app, Order(urls: [app.photo()], side: 32)) }
            let kept = try await app.send(.get, "/api/walls/\(first.id)/report")
            #expect(kept.status == 200)
            _ = try await Self.load(app, Order(urls: [app.photo()], side: 32))
            let gone = try await app.send(.get, "/api/walls/\(first.id)/report")
            #expect(gone.status == 404 && gone.code == "not_found")
            let list = try #require(try await app.get("/api/walls").json["walls"]?.array)
            #expect(list.count == 16)
            #expect(!list.contains { $0["id"]?.text == first.id })
        }
    }

    @Test func `walls are listed with their figures, newest first`() async throws {
        try await LiveApp.open { app in
            #expect(try await app.get("/api/walls").json["walls"]?.array?.isEmpty == true)
            let nothing = app.origin.pictureURL("nothing.png")
            let first = try await Self.load(app, Order(urls: [app.photo(), nothing], side: 32))
            let second = try await Self.load(app, Order(urls: [app.photo()], side: 32))
            let list = try #require(try await app.get("/api/walls").json["walls"]?.array)
            #expect(list.map { $0["id"]?.text } == [second.id, first.id])
            #expect(list.map { $0["ok"]?.number } == [1, 1])
            #expect(list.map { $0["failed"]?.number } == [0, 1])
            #expect(list.map { $0["state"]?.text } == ["finished", "finished"])
        }
    }
}
