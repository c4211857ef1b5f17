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
    struct Stage: Sendable {
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
        _ body: (Stage) async throws -> Void
    ) async throws {
        var configuration = ServerConfiguration()
        configuration.listener.port = 0
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
                        try await body(Stage(origin: origin, server: server, client: client))
                    }
                }
            }
        }
    }

    @Test func `a client keeps what the server has no longer (IS-H6)`() async throws {
        try await Self.open {
            $0.pipeline.memoryCache = .none
        } _: { stage in
            let path = stage.path("/pictures/photo.jpg")
            let (_, headers, bytes) = try await stage.get(path)
            let tag = try #require(headers["ETag"])
            for _ in 0..<3 {
                let (status, told, nothing) = try await stage.get(path, ["If-None-Match": tag])
                #expect(status == 304)
                #expect(nothing.isEmpty)
                #expect(told["ETag"] == tag)
                // That of no bytes would be one of another picture.
                #expect(told["Content-Length"] == nil)
            }
            let (status, _, whole) = try await stage.get(path)
            #expect(status == 200)
            #expect(whole == bytes)
            #expect(stage.server.metricsText.contains("\ncalotype_decodes_total 2\n"))
        }
    }

    @Test func `a picture, what it is, and that it has not changed`() async throws {
        try await Self.open { stage in
            let (status, headers, bytes) = try await stage.get(stage.path("/pictures/photo.jpg"))
            #expect(status == 200)
            #expect(headers["Content-Length"] == "\(bytes.count)")
            let tag = try #require(headers["ETag"])
            let (again, _, nothing) = try await stage.get(
                stage.path("/pictures/photo.jpg"),
                ["If-None-Match": tag]
            )
            #expect(again == 304)
            #expect(nothing.isEmpty)
            #expect(stage.origin.statistics.requests == 1)
            let (info, _, json) = try await stage.get(
                "/info/unsafe/plain/\(stage.origin.url("/pictures/photo.jpg"))"
            )
            #expect(info == 200)
            #expect(String(decoding: json, as: UTF8.self).contains("\"width\":64"))
        }
    }

    @Test func `metrics are told at an address of their own where that is wanted, and only there`()
        async throws
    {
        try await Self.open {
            $0.metricsAddress = ListeningAddress(host: "127.0.0.1", port: 0)
        } _: { stage in
            let port = try #require(stage.server.metricsPort)
            #expect(port != stage.server.port)
            let there = try await stage.get("/metrics", port: port)
            #expect(there.0 == 200)
            #expect(String(decoding: there.2, as: UTF8.self).contains("calotype_requests_total"))
            let (here, _, _) = try await stage.get("/metrics")
            #expect(here == 404)
            let (picture, _, _) = try await stage.get(stage.path("pictures/photo.jpg"), port: port)
            #expect(picture == 404)
            let (health, _, _) = try await stage.get("/health", port: port)
            #expect(health == 200)
        }
    }

    @Test func `while a hundred sources hang, another one comes (IS-H11)`() async throws {
        let pictures = PicturesInMemory(["photo.jpg": ServerRig.photo])
        try await Self.open { stage in
            try await withOrigin(OriginConfiguration(pictures: pictures)) { other in
                let hung = (0..<100).map { number in
                    Task { try await stage.get(stage.path("/hang", "w:\(number + 1)")) }
                }
                try await stage.waitForImages(100)
                let (status, _, _) = try await stage.get(
                    "/unsafe/w:20/plain/\(other.url("/pictures/photo.jpg"))@jpg"
                )
                #expect(status == 200)
                for task in hung { task.cancel() }
                for task in hung { _ = await task.result }
                try await stage.waitForImages(0)
            }
        }
    }

    @Test func `the last client that hangs up ends the download (IS-H3, H09)`() async throws {
        try await Self.open { stage in
            let clients = (0..<3).map { _ in Task { try await stage.get(stage.path("/hang")) } }
            try await stage.waitForImages(3)
            _ = try await stage.origin.statistics { $0.requests == 1 }
            for client in clients { client.cancel() }
            _ = try await stage.origin.statistics { $0.earlyHangUps == 1 && $0.openConnections == 0 }
            for client in clients { _ = await client.result }
            #expect(stage.origin.statistics.requests == 1)
            while !stage.server.metricsText.contains("status_codes_total{status=\"499\"} 3") {
                await Task.yield()
            }
        }
    }

    @Test func `a graceful end lets what is under way come (H11)`() async throws {
        try await Self.open { stage in
            let answer = Task { try await stage.get(stage.path("/latency/200/photo.jpg")).0 }
            try await stage.waitForImages(1)
            await stage.server.drain()
            let status = try await answer.value
            #expect(status == 200)
            await #expect(throws: CalotypeError.self) { try await stage.get("/health") }
        }
    }

    @Test func `what does not end within the grace period is cancelled`() async throws {
        try await Self.open {
            $0.grace = .milliseconds(20)
        } _: { stage in
            let answer = Task { try await stage.get(stage.path("/hang")).0 }
            try await stage.waitForImages(1)
            await stage.server.drain()
            _ = await answer.result
            try await stage.waitForImages(0)
        }
    }
}
