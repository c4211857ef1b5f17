import Calotype
import CalotypeCore
import CalotypeHTTP
import CalotypeHTTPListener
import CalotypeOrigin
import CalotypeServer
import CalotypeTestKit
import TaskFlow
import Testing

@testable import CalotypeApp

/// The app over real sockets: pages, sessions, what is refused, and its end.
@Suite(.timeLimit(.minutes(1)))
struct AppServerTests {
    @Test func `a page that has not changed is 304`() async throws {
        try await LiveApp.open { rig in
            let page = try await rig.get("/app/")
            #expect(page.status == 200)
            #expect(page.text.hasPrefix("<!DOCTYPE html>"))
            let tag = try #require(page.headers["ETag"])
            let again = try await rig.get("/app/", ["If-None-Match": tag])
            #expect(again.status == 304)
            #expect(again.bytes.isEmpty)
            let icon = try await rig.get("/favicon.ico")
            #expect(icon.status < 300)
            let redirected = try await rig.get("/app")
            #expect(redirected.text == page.text)
        }
    }

    @Test func `with a token the API is closed but for the session and its description`() async throws {
        try await LiveApp.open(configure: { app, _ in
            app.token = "secret-word"
        }) { rig in
            let session = try await rig.get("/api/session")
            #expect(try session.json["needsToken"] == .truth(true))
            #expect(try session.json["isOpen"] == .truth(false))
            let description = try await rig.get("/api/openapi.json")
            #expect(description.status == 200)
            for path in ["/api/search?term=a", "/api/timeline", "/api/nowhere"] {
                let answer = try await rig.get(path)
                #expect(answer.status == 401)
                #expect(answer.code == "token_needed")
            }
            let wrong = try await rig.post("/api/session", "{\"token\":\"guess\"}")
            #expect(wrong.status == 401)
            #expect(wrong.code == "wrong_token")
            #expect(wrong.headers["Set-Cookie"] == nil)
            let right = try await rig.post("/api/session", "{\"token\":\"secret-word\"}")
            #expect(right.status == 204)
            let cookie = try #require(right.headers["Set-Cookie"]?.split(separator: ";").first)
            let open = try await rig.get("/api/session", ["Cookie": String(cookie)])
            #expect(try open.json["isOpen"] == .truth(true))
            let found = try await rig.get("/api/robot/styles", ["Authorization": "Bearer secret-word"])
            #expect(found.status == 200)
        }
    }

    @Test func `other sites get nothing, and no CORS field even where pictures have one`()
        async throws
    {
        try await LiveApp.open(configureServer: { server in
            server.answers.allowedOrigin = "*"
        }) { rig in
            let foreign = try await rig.get("/api/session", ["Origin": "http://evil.example"])
            #expect(foreign.status == 403)
            #expect(foreign.code == "foreign_origin")
            let own = try await rig.get("/api/session", ["Origin": "http://127.0.0.1:\(rig.server.port)"])
            #expect(own.status == 200)
            let page = try await rig.get("/app/", ["Origin": "http://evil.example"])
            let options = try await rig.send(.options, "/api/session")
            #expect(options.status == 405)
            for answer in [foreign, own, page, options] {
                #expect(!answer.headers.contains { $0.name.lowercased().hasPrefix("access-control") })
            }
            let picture = try await rig.get("/health", ["Origin": "http://evil.example"])
            #expect(picture.headers["Access-Control-Allow-Origin"] == "*")
        }
    }

    @Test func `a body that a form could send is refused`() async throws {
        try await LiveApp.open { rig in
            for type in [
                "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
            ] {
                let answer = try await rig.post("/api/session", "{\"token\":\"x\"}", ["Content-Type": type])
                #expect(answer.status == 415)
                #expect(answer.code == "unsupported_media_type")
            }
            let nonsense = try await rig.post("/api/session", "{\"token\":")
            #expect(nonsense.status == 400)
            let large = try await rig.post("/api/session", String(repeating: " ", count: 1 << 20) + "{}")
            #expect(large.status == 413)
        }
    }

    @Test func `missing things, and other methods`() async throws {
        try await LiveApp.open { rig in
            for path in ["/api", "/api/", "/api/nowhere", "/api/apps/", "/api/session/"] {
                let answer = try await rig.get(path)
                #expect(answer.status == 404)
                #expect(answer.code == "not_found")
            }
            let other = try await rig.post("/api/search", "{}")
            #expect(other.status == 405)
            #expect(other.headers["Allow"] == "HEAD, GET")
            let head = try await rig.send(.head, "/api/robot/styles")
            #expect(head.status == 200)
            #expect(head.bytes.isEmpty)
        }
    }

    @Test func `streams of events end when the server drains, and nothing of the app is left`()
        async throws
    {
        try await LiveApp.open(configureServer: { server in
            // Longer than the test may take.
            server.grace = .seconds(600)
        }) { rig in
            let opened = Event()
            async let rest = rig.events("/api/timeline") { events in
                let first = try await events.next()
                opened.signal()
                while try await events.next() != nil {}
                return first?.name
            }
            try await opened.wait()
            await rig.server.drain()
            let name = try await rest
            #expect(name == "state")
        }
    }
}
