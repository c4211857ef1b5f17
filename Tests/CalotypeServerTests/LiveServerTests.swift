import Calotype
import CalotypeCore
import CalotypeHTTP
import CalotypeHTTPListener
import CalotypeOrigin
import CalotypeStore
import CalotypeTestKit
import TaskFlow
import Testing

@testable import CalotypeServer

/// Over real sockets: origin, server, client.
@Suite(.timeLimit(.minutes(1)))
struct LiveServerTests {
    struct ServerFixture: Sendable {
        let origin: Origin
        let server: RunningServer
        let client: HTTPClient

        func path(_ name: String, _ options: String = "rs:fit:32:32") -> String {
            "/unsafe/\(options)/plain/\(origin.url(name))@jpg"
        }

        func get(
            _ path: String,
            _ headers: [String: String] = [:],
            port: Int? = nil
        ) async throws -> (Int, HTTPHeaders, [UInt8]) {
            var request = HTTPRequest(try WebURL("http://127.0.0.1:\(port ?? server.port)\(path)"))
            for (name, value) in headers { try request.addHeader(name, value) }
            return try await client.withResponse(to: request) { response in
                var bytes: [UInt8] = []
                for try await piece in response.body { bytes += piece }
                return (response.status, response.headers, bytes)
            }
        }

        /// Waits until so many requests for pictures are in the works.
        func waitForImages(_ count: Int) async throws {
            while !server.metricsText.contains("\ncalotype_images_in_progress \(count)\n") {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
    }

    static func open(
        _ configure: (inout ServerConfiguration) -> Void = { _ in },
        pictures: PicturesInMemory = PicturesInMemory(["photo.jpg": ServerRig.photo]),
        _ body: (ServerFixture) async throws -> Void
    ) async throws {
        var configuration = ServerConfiguration()
        configuration.listener.port = 0
        configuration.listener.threads = 2
        configuration.allowsPrivateAddresses = true
        configuration.accessLog = nil
        configure(&configuration)
        try await withQuietCheck { quiet in
            try await withOrigin(OriginConfiguration(pictures: pictures)) { origin in
                try await withThumbnailServer(configuration) { server in
                    quiet.watch(server.pipeline)
                    var limits = HTTPClient.Limits()
                    (limits.connections, limits.connectionsPerHost) = (400, 400)
                    try await withCurlTransport { transport in
                        let client = HTTPClient(transport, limits: limits)
                        try await body(ServerFixture(origin: origin, server: server, client: client))
                    }
                }
            }
        }
    }

    @Test func `a client keeps what the server has no longer`() async throws {
        try await Self.open {
            $0.pipeline.memoryCache = .none
        } _: { fixture in
            let path = fixture.path("/pictures/photo.jpg")
            let (_, headers, bytes) = try await fixture.get(path)
            let tag = try #require(headers["ETag"])
            for _ in 0..<3 {
                let (status, told, nothing) = try await fixture.get(path, ["If-None-Match": tag])
                #expect(status == 304)
                #expect(nothing.isEmpty)
                #expect(told["ETag"] == tag)
                // That of no bytes would be one of another picture.
                #expect(told["Content-Length"] == nil)
            }
            let (status, _, whole) = try await fixture.get(path)
            #expect(status == 200)
            #expect(whole == bytes)
        }
    }

    @Test func `a picture that is kept ready is the same picture with another ID`() async throws {
        try await Self.open { fixture in
            let path = fixture.path("/pictures/photo.jpg")
            let (_, first, picture) = try await fixture.get(path)
            var ids = [first["X-Request-ID"]]
            for _ in 0..<3 {
                let (status, headers, bytes) = try await fixture.get(path)
                #expect(status == 200 && bytes == picture)
                let names = { (headers: HTTPHeaders) in headers.map(\.name).sorted() }
                #expect(names(headers) == names(first))
                for field in first where !["X-Request-ID", "Date"].contains(field.name) {
                    #expect(headers[field.name] == field.value)
                }
                ids.append(headers["X-Request-ID"])
            }
            #expect(Set(ids).count == 4)
            let counts = [
                "cache_results_total{result=\"memory\"} 3", "prepared_responses 1",
                "memory_cache_hits_total 3",
            ]
            while !counts.allSatisfy({ fixture.server.metricsText.contains("\ncalotype_\($0)\n") }) {
                try Task.checkCancellation()
                await Task.yield()
            }
            #expect(fixture.origin.statistics.requests == 1)
        }
    }

    @Test func `a picture, what it is, and that it has not changed`() async throws {
        try await Self.open { fixture in
            let (status, headers, bytes) = try await fixture.get(fixture.path("/pictures/photo.jpg"))
            #expect(status == 200)
            #expect(headers["Content-Length"] == "\(bytes.count)")
            let tag = try #require(headers["ETag"])
            let (again, _, nothing) = try await fixture.get(
                fixture.path("/pictures/photo.jpg"),
                ["If-None-Match": tag]
            )
            #expect(again == 304)
            #expect(nothing.isEmpty)
            #expect(fixture.origin.statistics.requests == 1)
            let (info, _, json) = try await fixture.get(
                "/info/unsafe/plain/\(fixture.origin.url("/pictures/photo.jpg"))"
            )
            #expect(info == 200)
            #expect(String(decoding: json, as: UTF8.self).contains("\"width\":64"))
        }
    }

    @Test func `metrics are served at a separate address if configured, and only there`()
        async throws
    {
        try await Self.open {
            $0.metricsAddress = ListeningAddress(host: "127.0.0.1", port: 0)
        } _: { fixture in
            let port = try #require(fixture.server.metricsPort)
            #expect(port != fixture.server.port)
            let there = try await fixture.get("/metrics", port: port)
            #expect(there.0 == 200)
            #expect(String(decoding: there.2, as: UTF8.self).contains("calotype_requests_total"))
            let (here, _, _) = try await fixture.get("/metrics")
            #expect(here == 404)
            let (picture, _, _) = try await fixture.get(fixture.path("pictures/photo.jpg"), port: port)
            #expect(picture == 404)
            let (health, _, _) = try await fixture.get("/health", port: port)
            #expect(health == 200)
        }
    }

    @Test func `while a hundred sources hang, another one comes`() async throws {
        let pictures = PicturesInMemory(["photo.jpg": ServerRig.photo])
        try await Self.open { fixture in
            try await withOrigin(OriginConfiguration(pictures: pictures)) { other in
                let hung = (0..<100).map { number in
                    Task { try await fixture.get(fixture.path("/hang", "w:\(number + 1)")) }
                }
                try await fixture.waitForImages(100)
                let (status, _, _) = try await fixture.get(
                    "/unsafe/w:20/plain/\(other.url("/pictures/photo.jpg"))@jpg"
                )
                #expect(status == 200)
                for task in hung { task.cancel() }
                for task in hung { _ = await task.result }
                try await fixture.waitForImages(0)
            }
        }
    }

    @Test func `the last client that hangs up ends the download`() async throws {
        try await Self.open { fixture in
            let clients = (0..<3).map { _ in Task { try await fixture.get(fixture.path("/hang")) } }
            try await fixture.waitForImages(3)
            _ = try await fixture.origin.statistics { $0.requests == 1 }
            for client in clients { client.cancel() }
            _ = try await fixture.origin.statistics { $0.earlyHangUps == 1 && $0.openConnections == 0 }
            for client in clients { _ = await client.result }
            #expect(fixture.origin.statistics.requests == 1)
            while !fixture.server.metricsText.contains("status_codes_total{status=\"499\"} 3") {
                await Task.yield()
            }
        }
    }

    @Test func `a graceful end lets what is under way come`() async throws {
        try await Self.open { fixture in
            let answer = Task { try await fixture.get(fixture.path("/latency/200/photo.jpg")).0 }
            try await fixture.waitForImages(1)
            await fixture.server.drain()
            let status = try await answer.value
            #expect(status == 200)
            await #expect(throws: CalotypeError.self) { try await fixture.get("/health") }
        }
    }

    @Test func `what does not end within the grace period is cancelled`() async throws {
        try await Self.open {
            $0.grace = .milliseconds(20)
        } _: { fixture in
            let answer = Task { try await fixture.get(fixture.path("/hang")).0 }
            try await fixture.waitForImages(1)
            await fixture.server.drain()
            _ = await answer.result
            try await fixture.waitForImages(0)
        }
    }
}
