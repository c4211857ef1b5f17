import CalotypeHTTP
import CalotypeOrigin
import CalotypeServer
import HTTPListener
import Testing

@testable import CalotypeApp

/// The OpenAPI file and the server say the same.
@Suite(.timeLimit(.minutes(1)))
struct APIDescriptionTests {
    private static func description(_ rig: AppRig) async throws -> APIDescription {
        let answer = try await rig.get("/api/openapi.json")
        #expect(answer.headers["Content-Type"] == "application/json")
        let json = try answer.json
        #expect(json["openapi"]?.text?.hasPrefix("3.1.") == true)
        return APIDescription(json)
    }

    @Test func `the description has every route, and no other (W13)`() async throws {
        try await AppRig.open { rig in
            let description = try await Self.description(rig)
            try await withThumbnailResponder(ServerConfiguration.quiet) { thumbnails in
                try await withApp(AppConfiguration(), thumbnails) { app in
                    let routes = app.api.routes
                    let name = { (route: APIRoute) in "\(route.method) \(route.pattern)" }
                    #expect(description.operations.subtracting(routes.map(name)) == [])
                    #expect(Set(routes.map(name)).subtracting(description.operations) == [])
                    #expect(description.publicOperations == Set(routes.filter(\.isPublic).map(name)))
                    let json = Set(routes.filter { $0.bodyType == .json }.map(name))
                    #expect(description.jsonOperations.isSubset(of: json))
                }
            }
        }
    }

    @Test func `answers are what the description says (W13)`() async throws {
        try await AppRig.open { rig in
            let description = try await Self.description(rig)
            let found = try await rig.get("/api/search?term=camera")
            let id = Int(try #require(try found.json["apps"]?[0]?["id"]?.number))
            let calls = [
                ("GET /session", "/api/session"), ("GET /search", "/api/search?term=camera"),
                ("GET /search", "/api/search"), ("GET /apps/{id}", "/api/apps/\(id)"),
                ("GET /apps/{id}", "/api/apps/1"),
                ("GET /apps/{id}", "/api/apps/\(id)?side=x"), ("GET /albums/{id}", "/api/albums/1"),
                ("GET /albums/{id}", "/api/albums/x"), ("GET /robot", "/api/robot?text=a"),
                ("GET /robot", "/api/robot"),
                ("GET /robot/styles", "/api/robot/styles"), ("GET /openapi.json", "/api/openapi.json"),
            ]
            for (operation, path) in calls {
                let answer = try await rig.get(path)
                let faults = description.faults(of: try answer.json, status: answer.status, as: operation)
                #expect(faults.isEmpty, "\(path)")
            }
            let foreign = try await rig.get("/api/search?term=a", ["Origin": "http://evil.example"])
            let faults = description.faults(of: try foreign.json, status: 403, as: "GET /search")
            #expect(faults.isEmpty)
        }
    }

    @Test func `events are what the description says (W13)`() async throws {
        try await AppRig.open { rig in
            let description = try await Self.description(rig)
            _ = try await rig.get("/unsafe/rs:fit:32:32/plain/\(rig.origin.pictureURL("photo.png"))")
            _ = try await rig.get("/unsafe/rs:fit:32:32/plain/\(rig.origin.pictureURL("nothing.png"))")
            try await rig.events("/api/timeline") { events in
                let state = try #require(try await events.next())
                #expect(description.faults(of: state.data, event: "state", as: "GET /timeline").isEmpty)
                _ = try await rig.get("/unsafe/rs:fit:16:16/plain/\(rig.origin.pictureURL("photo.png"))")
                let change = try #require(try await events.next())
                #expect(description.faults(of: change.data, event: "change", as: "GET /timeline").isEmpty)
                #expect(change.data["loads"]?.array?.isEmpty == false)
            }
        }
    }

    @Test func `the check finds what is missing, of another type, or more than described`() async throws {
        try await AppRig.open { rig in
            let description = try await Self.description(rig)
            let wrong = try JSONValue(Array(#"{"kinds":["a",1],"more":true}"#.utf8))
            let faults = description.faults(of: wrong, status: 200, as: "GET /robot/styles")
            #expect(faults.count == 3)
            #expect(description.faults(of: wrong, status: 299, as: "GET /robot/styles").count == 1)
        }
    }
}

extension ServerConfiguration {
    /// One that writes no log.
    static var quiet: ServerConfiguration {
        var configuration = ServerConfiguration()
        configuration.accessLog = nil
        return configuration
    }
}
