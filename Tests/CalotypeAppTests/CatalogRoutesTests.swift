import Calotype
import CalotypeCatalog
import CalotypeCore
import CalotypeHTTP
import CalotypeOrigin
import CalotypeServer
import CalotypeTestKit
import Testing

@testable import CalotypeApp

/// Searches, apps, albums and robots of a real catalogue, asked through the API.
@Suite(.timeLimit(.minutes(1)))
struct CatalogRoutesTests {
    @Test func `a search lists apps, whose icons this server has in the requested size`()
        async throws
    {
        try await LiveApp.open { rig in
            let answer = try await rig.get("/api/search?term=camera&limit=3&side=60")
            #expect(answer.status == 200)
            let json = try answer.json
            #expect(json["term"] == .text("camera"))
            #expect(json["country"] == .text("us"))
            #expect(json["cache"] == .text("miss"))
            #expect(json["apps"]?.array?.count == 3)
            let path = try #require(json["apps"]?[0]?["icon"]?["src"]?.text)
            let icon = try await rig.get(path)
            #expect(icon.status == 200)
            #expect(icon.headers["Content-Type"]?.hasPrefix("image/") == true)
            let size = try await rig.get("/info" + path)
            #expect(try size.json["width"]?.number != nil)
            #expect(path.contains("rs:fill:64:64"))
        }
    }

    @Test func `paths are signed where they have to be, and begin with the prefix`() async throws {
        try await LiveApp.open(configureServer: { server in
            (server.signing.keys, server.signing.salts) = ([[1, 2, 3]], [[4, 5, 6]])
            server.paths.prefix = "/pictures"
            server.paths.argumentsSeparator = ","
        }) { rig in
            let album = try await rig.get("/api/albums/1?side=32")
            let path = try #require(try album.json["photos"]?[0]?["src"]?.text)
            #expect(path.hasPrefix("/pictures/"))
            #expect(!path.contains("/unsafe/"))
            let picture = try await rig.get(path)
            #expect(picture.status == 200)
        }
    }

    @Test func `an app has its screenshots, by phone and tablet`() async throws {
        try await LiveApp.open { rig in
            let found = try await rig.get("/api/search?term=camera&limit=1")
            let id = Int(try #require(try found.json["apps"]?[0]?["id"]?.number))
            let app = try await rig.get("/api/apps/\(id)?shot=200")
            #expect(app.status == 200)
            let json = try app.json
            #expect(json["id"]?.number == Double(id))
            let titles = (json["screenshots"]?.array ?? []).compactMap { $0["title"]?.text }
            #expect(!titles.isEmpty && titles.allSatisfy { $0.contains(", phone ") })
            let tablet = (json["tabletScreenshots"]?.array ?? []).compactMap { $0["title"]?.text }
            #expect(tablet.allSatisfy { $0.contains(", tablet ") })
        }
    }

    @Test func `a robot is a picture that can be requested for any text`() async throws {
        try await LiveApp.open { rig in
            for text in ["anna", "a%2Fb%20c", "%3F%26%23", "..", "%F0%9F%A4%96"] {
                let answer = try await rig.get("/api/robot?text=\(text)&set=set3&background=bg1")
                #expect(answer.status == 200)
                let path = try #require(try answer.json["src"]?.text)
                let picture = try await rig.get(path)
                #expect(picture.status == 200, "\(text)")
            }
        }
    }

    @Test(arguments: [
        ("/api/search", 400), ("/api/search?term=", 400), ("/api/search?term=%20", 400),
        ("/api/search?term=\(String(repeating: "a", count: 201))", 400), ("/api/search?term=a&limit=0", 400),
        ("/api/search?term=a&limit=201", 400), ("/api/search?term=a&limit=x", 400),
        ("/api/search?term=a&country=usa", 400), ("/api/search?term=a&country=%C3%A4%C3%B6", 400),
        ("/api/search?term=a&side=0", 400), ("/api/search?term=a&side=1025", 400),
        ("/api/search?term=%", 400),
        ("/api/search?term=a&term=b", 400), ("/api/apps/0", 404), ("/api/apps/-1", 404), ("/api/apps/x", 404),
        ("/api/apps/99999999999999999999", 404), ("/api/apps/1?shot=x", 400), ("/api/apps/1?country=1", 400),
        ("/api/apps/1?side=-5", 400), ("/api/albums/x", 404), ("/api/albums/1?side=2000", 400),
        ("/api/robot", 400),
        ("/api/robot?text=\(String(repeating: "a", count: 501))", 400), ("/api/robot?text=a&set=bg1", 400),
        ("/api/robot?text=a&background=set1", 400), ("/api/robot?text=a&side=no", 400),
    ])
    func `an invalid value is refused without a request`(
        target: String,
        status: Int
    ) async throws {
        try await LiveApp.open { rig in
            let answer = try await rig.get(target)
            #expect(answer.status == status)
            #expect(answer.code == (status == 400 ? "invalid_query" : "not_found"))
            #expect(rig.origin.statistics.requests == 0)
        }
    }

    @Test func `an app that the store does not have is 404`() async throws {
        try await LiveApp.open { rig in
            let answer = try await rig.get("/api/apps/1")
            #expect(answer.status == 404)
            #expect(answer.code == "not_found")
        }
    }

    @Test func `a service that fails is 502 with its own code`() async throws {
        try await LiveApp.open(api: "/api-faults/503") { rig in
            let answer = try await rig.get("/api/search?term=a")
            #expect(answer.status == 502)
            #expect(answer.code == "http_503")
        }
    }

    @Test func `a service that was asked too often is 429, with a time`() async throws {
        try await LiveApp.open(api: "/api-faults/429-after-5") { rig in
            let answer = try await rig.get("/api/search?term=a")
            #expect(answer.status == 429)
            #expect(answer.code == "rate_limited")
            #expect(answer.headers["Retry-After"] == "6")
        }
    }

    @Test func `a client that disconnects cancels its requests to the service`() async throws {
        try await LiveApp.open(api: "/api-faults/hang") { rig in
            for path in ["/api/search?term=a", "/api/apps/7", "/api/albums/1"] {
                let before = rig.origin.statistics.requests
                let client = Task { try await rig.get(path) }
                _ = try await rig.origin.statistics { $0.requests == before + 1 && $0.openConnections == 1 }
                client.cancel()
                _ = try await rig.origin.statistics { $0.openConnections == 0 }
                _ = await client.result
                #expect(rig.origin.statistics.earlyHangUps == before + 1)
            }
        }
    }

    @Test func `the catalogue may be at a private address, what it names may not`() async throws {
        try await LiveApp.open(configureServer: { server in
            server.allowsPrivateAddresses = false
        }) { rig in
            let found = try await rig.get("/api/search?term=camera&limit=1")
            #expect(found.status == 200)
            let path = try #require(try found.json["apps"]?[0]?["icon"]?["src"]?.text)
            let icon = try await rig.get(path)
            #expect(icon.status == 404 || icon.status == 403)
            #expect(rig.origin.statistics.requests == 1)
        }
    }

    @Test func `the services themselves are bound by the policy that they were given`() async throws {
        try await LiveApp.open(configure: { app, _ in
            app.catalogPolicy = .publicOnly
        }) { rig in
            let answer = try await rig.get("/api/search?term=camera")
            #expect(answer.status == 502)
            #expect(answer.code == "blocked_address")
            #expect(rig.origin.statistics.connections == 0)
        }
    }
}
