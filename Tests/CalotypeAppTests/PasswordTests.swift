import CalotypeBulk
import CalotypeCatalog
import CalotypeCore
import CalotypeHTTP
import CalotypeHTTPListener
import CalotypeOrigin
import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypeApp

/// An origin that gives its pictures to Bob only.
private struct GuardedOrigin: HTTPResponding {
    /// Those of `bob:secret`.
    static let credentials = "Basic Ym9iOnNlY3JldA=="

    func firstAnswer(to request: IncomingRequest) -> FirstAnswer {
        guard request.headers["Authorization"] == Self.credentials else { return .now(OutgoingResponse(401)) }
        guard request.target.hasPrefix("/photo") else { return .now(OutgoingResponse(404)) }
        let type = HTTPHeaders([.init("Content-Type", "image/jpeg")])
        return .now(OutgoingResponse(200, type, .bytes(LiveApp.photo)))
    }
    func response(to request: IncomingRequest) async -> OutgoingResponse { OutgoingResponse(500) }
}

/// Passwords in URLs reach the origin and nobody else.
@Suite(.timeLimit(.minutes(1)))
struct PasswordTests {
    private static func open(_ body: (LiveApp, String) async throws -> Void) async throws {
        var listening = HTTPListenerConfiguration()
        listening.port = 0
        try await withHTTPListener(listening, answering: GuardedOrigin()) { listener in
            try await LiveApp.open { app in try await body(app, "bob:secret@127.0.0.1:\(listener.port)") }
        }
    }

    private static func expectNoPassword(_ answer: LiveApp.Answer, _ what: String) {
        for word in ["secret", "bob", "c2VjcmV0", "zZWNyZX", "Ym9i"] {
            #expect(!answer.text.contains(word), "\(word) in \(what)")
        }
    }

    @Test func `a wall's pictures are loaded with the password, which is never shown`() async throws {
        try await Self.open { app, place in
            let list =
                "http://\(place)/photo/1.jpg\nhttp://\(place)/nothing.jpg\nhttp://\(place)/photo/../photo/2.jpg"
            let wall = try await WallTests.load(app, .init(list: list, side: 32))
            #expect(wall.ok == 2 && wall.failed == 1)
            for entry in wall.entries {
                let told = entry.url
                #expect(told.hasPrefix("http://127.0.0.1:") && entry.message?.contains("secret") != true)
                #expect(entry.src?.hasPrefix("/api/pictures/") != false)
                guard let src = entry.src else { continue }
                let picture = try await app.get(src)
                #expect(picture.status == 200 && picture.headers["Content-Type"] == "image/jpeg")
                // The size that a dialog shows.
                let larger = try await app.get("/api/walls/\(wall.id)/pictures/\(entry.index)?side=64")
                Self.expectNoPassword(larger, "a larger picture")
                let largerSource = try #require(try larger.json["src"]?.text)
                #expect(try await app.get(largerSource).status == 200)
            }
            Self.expectNoPassword(try await app.get("/api/walls/\(wall.id)/report"), "the report")
            let zip = try await app.get("/api/walls/\(wall.id)/zip")
            let members = try await UnpackedZip.members(of: zip.bytes)
            #expect(members.map(\.name) == ["1.jpg", "2.jpg", "report.jsonl"])
            Self.expectNoPassword(zip, "the zip file")
            let timeline = try await app.events("/api/timeline") { try await $0.next()?.data }
            #expect(timeline?.contains("/photo/1.jpg") == true && timeline?.contains("secret") == false)
        }
    }

    @Test func `the catalogue's password is never shown`() async throws {
        try await LiveApp.open(configure: { app, origin in
            app.services = CatalogServices(base: origin.baseURL.replacing("://", with: "://bob:secret@"))
        }) { app in
            let session = try await app.get("/api/session")
            #expect(session.status == 200)
            Self.expectNoPassword(session, "the session")
            let robot = try await app.get("/api/robot?text=ada")
            Self.expectNoPassword(robot, "a robot")
            let source = try #require(try robot.json["src"]?.text)
            #expect(try await app.get(source).status == 200)
        }
    }

    @Test func `a name of a picture that is none leads nowhere`() async throws {
        try await LiveApp.open { app in
            let answer = try await app.get("/api/pictures/00000000-0000-0000-0000-000000000000")
            #expect(answer.status == 404 && answer.code == "not_found")
        }
    }

    @Test func `hidden paths are forgotten when there are too many, the oldest first`() {
        let paths = HiddenPaths(mostPaths: 3, mostBytes: 12)
        let names = ["/a", "/b", "/c"].map { paths.name(of: $0) }
        #expect(Set(names).count == 3 && names == ["/a", "/b", "/c"].map { paths.name(of: $0) })
        let fourth = paths.name(of: "/d")
        #expect(paths.path(named: names[0]) == nil && paths.path(named: names[1]) == "/b")
        // By their length: only the last one has room.
        let long = paths.name(of: "/long/enough")
        #expect(paths.path(named: fourth) == nil && paths.path(named: long) == "/long/enough")
        #expect(paths.name(of: "/a") != names[0])
    }
}
