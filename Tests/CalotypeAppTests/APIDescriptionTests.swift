import CalotypeHTTP
import CalotypeHTTPListener
import CalotypeOrigin
import CalotypePublish
import CalotypeServer
import CalotypeTestKit
import Testing

@testable import CalotypeApp

/// The OpenAPI file and the server say the same.
@Suite(.timeLimit(.minutes(1)))
struct APIDescriptionTests {
    private static func description(_ rig: LiveApp) async throws -> APIDescription {
        let answer = try await rig.get("/api/openapi.json")
        #expect(answer.headers["Content-Type"] == "application/json")
        let json = try answer.json
        #expect(json["openapi"]?.text?.hasPrefix("3.1.") == true)
        return APIDescription(json)
    }

    @Test func `the description has every route, and no other`() async throws {
        try await LiveApp.open { rig in
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

    @Test func `responses match the description`() async throws {
        try await LiveApp.open { rig in
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

    @Test func `a wall is what the description says`() async throws {
        try await LiveApp.open { rig in
            let description = try await Self.description(rig)
            let order = ["urls": [rig.photo(), rig.origin.pictureURL("nothing.png")]]
            try await rig.withEvents(.post, "/api/walls", json: order) { events in
                var names: Set<String> = []
                var wall = ""
                while let event = try await events.next() {
                    names.insert(event.name)
                    wall = try event.value["id"]?.text ?? wall
                    let faults = description.faults(of: try event.value, event: event.name, as: "POST /walls")
                    #expect(faults.isEmpty)
                }
                #expect(names == ["wall", "entries", "end"])
                try await rig.withEvents(.post, "/api/walls/\(wall)/retry", json: ["entries": [1]]) {
                    events in
                    while let event = try await events.next() {
                        let operation = "POST /walls/{id}/retry"
                        let faults = description.faults(of: try event.value, event: event.name, as: operation)
                        #expect(faults.isEmpty)
                    }
                }
                try await rig.events("/api/walls/\(wall)/events") { events in
                    let event = try #require(try await events.next())
                    let operation = "GET /walls/{id}/events"
                    #expect(description.faults(of: try event.value, event: event.name, as: operation).isEmpty)
                }
                let again = try await rig.post("/api/walls/\(wall)/retry", #"{"entries": [0]}"#)
                let operation = "POST /walls/{id}/retry"
                #expect(description.faults(of: try again.json, status: again.status, as: operation).isEmpty)
                #expect(try await rig.send(.delete, "/api/walls/\(wall)").status == 204)
                for path in ["/0", "/9", "/0?side=x"] {
                    let answer = try await rig.get("/api/walls/\(wall)/pictures\(path)")
                    let operation = "GET /walls/{id}/pictures/{index}"
                    let faults = description.faults(of: try answer.json, status: answer.status, as: operation)
                    #expect(faults.isEmpty)
                }
            }
            let list = try await rig.get("/api/walls")
            #expect(try list.json["walls"]?.array?.count == 1)
            #expect(description.faults(of: try list.json, status: list.status, as: "GET /walls").isEmpty)
            let nothing = try await rig.post("/api/walls", "{}")
            let faults = description.faults(of: try nothing.json, status: nothing.status, as: "POST /walls")
            #expect(faults.isEmpty)
        }
    }

    @Test func `a cancelled wall is what the description says`() async throws {
        try await LiveApp.open { rig in
            let description = try await Self.description(rig)
            try await rig.withEvents(.post, "/api/walls", json: ["urls": [rig.origin.url("/hang")]]) {
                events in
                let id = try #require(try await events.next()?.value["id"]?.text)
                #expect(try await rig.send(.delete, "/api/walls/\(id)").status == 204)
                let end = try #require(try await events.next())
                #expect(try end.name == "end" && end.value["ending"]?.text == "cancelled")
                #expect(description.faults(of: try end.value, event: end.name, as: "POST /walls").isEmpty)
            }
            let list = try await rig.get("/api/walls")
            #expect(description.faults(of: try list.json, status: list.status, as: "GET /walls").isEmpty)
        }
    }

    @Test func `the lab is what the description says`() async throws {
        try await LiveApp.open { rig in
            let description = try await Self.description(rig)
            let settings = ["latency": 0, "failures": 50, "width": 2]
            try await rig.withEvents(.post, "/api/lab", json: settings) { events in
                var names: Set<String> = []
                while let event = try await events.next() {
                    names.insert(event.name)
                    let faults = description.faults(of: try event.value, event: event.name, as: "POST /lab")
                    #expect(faults.isEmpty)
                }
                #expect(names == ["lab", "ways", "end"])
            }
            let nothing = try await rig.post("/api/lab", "{}")
            let faults = description.faults(of: try nothing.json, status: nothing.status, as: "POST /lab")
            #expect(faults.isEmpty)
        }
    }

    @Test func `publishing is what the description says`() async throws {
        try await withScratchFolder { folder in
            try await LiveApp.open(configure: { app, origin in
                var profile = PublishProfile(try DestinationAddress("plain+\(origin.url("/inbox/"))"))
                profile.postURL = try WebURL(origin.url("/posts"))
                (app.profiles, app.folder) = (["here": profile], folder)
            }) { rig in
                try await Self.publish(rig, try await Self.description(rig))
            }
        }
    }

    private static func publish(_ rig: LiveApp, _ description: APIDescription) async throws {
        func check(_ answer: LiveApp.Answer, _ operation: String) throws {
            let faults = description.faults(of: try answer.json, status: answer.status, as: operation)
            #expect(faults.isEmpty, "\(operation)")
        }
        try check(try await rig.get("/api/publish/profiles"), "GET /publish/profiles")
        let limits = "GET /publish/profiles/{name}/limits"
        try check(try await rig.get("/api/publish/profiles/here/limits"), limits)
        try check(try await rig.get("/api/publish/profiles/nowhere/limits"), limits)
        let file = try await rig.send(
            .post,
            "/api/publish/files?name=photo.jpg",
            ["Content-Type": "image/jpeg"],
            body: HTTPBody(LiveApp.photo)
        )
        #expect(file.status == 201)
        try check(file, "POST /publish/files")
        try check(try await rig.post("/api/publish/uploads", ""), "POST /publish/uploads")
        let nothing = try await rig.send(.delete, "/api/publish/uploads/none", ["Tus-Resumable": "1.0.0"])
        try check(nothing, "DELETE /publish/uploads/{id}")
        try check(try await rig.get("/api/publish/files"), "GET /publish/files")
        let id = try #require(try file.json["id"]?.text)
        try check(try await rig.get("/api/publish/files/\(id)"), "GET /publish/files/{id}")
        let about = #""contentWarning":"Boats","language":"en","schedule":"2099-05-01T09:00:00+02:00""#
        let media = #"[{"file":"\#(id)","alt":"A photo","focus":[0,0.5]}]"#
        let order = #"{"profile":"here","text":"Hello",\#(about),"media":\#(media)}"#
        let post = try await rig.post("/api/publish/posts", order)
        #expect(post.status == 201)
        try check(post, "POST /publish/posts")
        let name = try #require(try post.json["id"]?.text)
        try await rig.events("/api/publish/posts/\(name)/events") { events in
            while let event = try await events.next() {
                let operation = "GET /publish/posts/{id}/events"
                let faults = description.faults(of: try event.value, event: event.name, as: operation)
                #expect(faults.isEmpty)
            }
        }
        let ended = try await rig.get("/api/publish/posts/\(name)")
        #expect(try ended.json["state"] == .text("published"))
        try check(ended, "GET /publish/posts/{id}")
        try check(try await rig.get("/api/publish/posts"), "GET /publish/posts")
        try check(try await rig.post("/api/publish/posts", "{}"), "POST /publish/posts")
        try check(try await rig.get("/api/publish/posts/nothing"), "GET /publish/posts/{id}")
        let again = try await rig.send(.post, "/api/publish/posts/\(name)/resume")
        try check(again, "POST /publish/posts/{id}/resume")
    }

    @Test func `events are what the description says`() async throws {
        try await LiveApp.open { rig in
            let description = try await Self.description(rig)
            _ = try await rig.get("/unsafe/rs:fit:32:32/plain/\(rig.origin.pictureURL("photo.jpg"))")
            _ = try await rig.get("/unsafe/rs:fit:32:32/plain/\(rig.origin.pictureURL("nothing.png"))")
            try await rig.events("/api/timeline") { events in
                let state = try #require(try await events.next())
                #expect(try description.faults(of: state.value, event: "state", as: "GET /timeline").isEmpty)
                _ = try await rig.get("/unsafe/rs:fit:16:16/plain/\(rig.origin.pictureURL("photo.jpg"))")
                let change = try #require(try await events.next())
                #expect(
                    try description.faults(of: change.value, event: "change", as: "GET /timeline").isEmpty
                )
                #expect(try change.value["loads"]?.array?.isEmpty == false)
            }
        }
    }

    @Test func `the check finds what is missing, of another type, or more than described`() async throws {
        try await LiveApp.open { rig in
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
