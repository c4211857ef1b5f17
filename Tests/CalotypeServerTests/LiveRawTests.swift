import Calotype
import CalotypeCore
import CalotypeHTTP
import CalotypeOrigin
import CalotypeTestKit
import TaskFlow
import Testing

@testable import CalotypeServer

/// Sources that are passed on while they come, over real sockets.
@Suite(.timeLimit(.minutes(1)))
struct LiveRawTests {
    /// A JPEG's header, and a megabyte of no meaning.
    private static let large =
        ServerRig.photo + (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }

    private static func open(
        _ configure: (inout ServerConfiguration) -> Void = { _ in },
        _ body: (LiveServerTests.ServerFixture) async throws -> Void
    ) async throws {
        let pictures = PicturesInMemory(["photo.jpg": ServerRig.photo, "large.jpg": large])
        try await LiveServerTests.open(
            {
                $0.pipeline.retries = 0
                configure(&$0)
            },
            pictures: pictures,
            body
        )
    }

    private static func request(
        _ fixture: LiveServerTests.ServerFixture,
        _ name: String
    ) throws -> HTTPRequest {
        let url = "http://127.0.0.1:\(fixture.server.port)/unsafe/raw:1/plain/\(fixture.origin.url(name))"
        return HTTPRequest(try WebURL(url))
    }

    /// Asks for the raw source `name`, and gives what comes to `take`, piece by piece.
    private static func read(
        _ fixture: LiveServerTests.ServerFixture,
        _ name: String,
        method: HTTPMethod = .get,
        _ headers: [String: String] = [:],
        _ take: @Sendable ([UInt8]) async throws -> Void = { _ in }
    ) async throws -> (status: Int, headers: HTTPHeaders, count: Int) {
        var request = try Self.request(fixture, name)
        request.method = method
        for (name, value) in headers { try request.addHeader(name, value) }
        return try await fixture.client.withResponse(to: request) { response in
            var count = 0
            for try await piece in response.body {
                count += piece.count
                try await take(piece)
            }
            return (response.status, response.headers, count)
        }
    }

    @Test func `the first bytes are with the client before the origin's last`() async throws {
        try await Self.open { fixture in
            let started = Event()
            let reading = Task {
                try await Self.read(fixture, "/stall/50/large.jpg") { _ in started.signal() }
            }
            try await started.wait()
            _ = try await fixture.origin.statistics { $0.openConnections == 1 }
            #expect(fixture.server.metricsText.contains("\ncalotype_images_in_progress 1\n"))
            reading.cancel()
            _ = await reading.result
            // The client has gone, and the origin is let go of.
            _ = try await fixture.origin.statistics { $0.earlyHangUps == 1 && $0.openConnections == 0 }
            try await fixture.waitForImages(0)
        }
    }

    @Test func `a whole source has its length, its type and its tag`() async throws {
        try await Self.open { fixture in
            let bytes = Recorder<[UInt8]>()
            let name = "/pictures/large.jpg"
            let answer = try await Self.read(fixture, name) { bytes.record($0) }
            #expect(answer.status == 200)
            #expect(Array(bytes.values.joined()) == Self.large)
            #expect(answer.headers["Content-Length"] == "\(Self.large.count)")
            #expect(answer.headers["Content-Type"] == "image/jpeg")
            let tag = try #require(answer.headers["ETag"])
            let known = try await Self.read(fixture, name, ["If-None-Match": tag])
            #expect(known.status == 304)
            #expect(known.count == 0)
            let part = try await Self.read(fixture, name, ["Range": "bytes=0-9"])
            #expect(part.status == 200)
            #expect(part.count == Self.large.count)
            let head = try await Self.read(fixture, name, method: .head)
            #expect(head.status == 200)
            #expect(head.headers["Content-Length"] == "\(Self.large.count)")
            #expect(head.count == 0)
        }
    }

    @Test func `a source without a length is sent in chunks`() async throws {
        try await Self.open { fixture in
            let answer = try await Self.read(fixture, "/no-length/large.jpg")
            #expect(answer.count == Self.large.count)
            // Unless all of it was here before the first byte was sent, which only this one rules out.
            try await fixture.client.withResponse(to: try Self.request(fixture, "/endless")) { response in
                #expect(response.status == 200 && response.contentLength == nil)
                for try await piece in response.body where !piece.isEmpty { return }
            }
        }
    }

    @Test(arguments: ["/cut/50/large.jpg", "/endless"])
    func `a source that breaks off or does not end leaves no client with a part that looks whole`(
        name: String
    ) async throws {
        try await Self.open {
            $0.limits.sourceBytes = .mebibytes(2)
        } _: { fixture in
            do {
                // It may be known before the head is told: then it is an error.
                let status = try await Self.read(fixture, name).status
                #expect(status == 422)
            } catch let error as CalotypeError {
                #expect(error.code == .truncatedBody)
            }
            let code = name == "/endless" ? "too_many_bytes" : "truncated_body"
            let line = "calotype_errors_total{type=\"\(code)\"} 1"
            while !fixture.server.metricsText.contains(line) { await Task.yield() }
        }
    }

    @Test func `a client that does not read holds up neither another nor the origin`() async throws {
        try await Self.open { fixture in
            let (stopped, mayGoOn) = (Event(), Event())
            let slow = Task {
                try await Self.read(fixture, "/no-length/large.jpg") { _ in
                    stopped.signal()
                    try await mayGoOn.wait()
                }
            }
            try await stopped.wait()
            let other = try await Self.read(fixture, "/no-length/large.jpg")
            #expect(other.count == Self.large.count)
            _ = try await fixture.origin.statistics { $0.openConnections == 0 }
            #expect(fixture.origin.statistics.requests <= 2)
            mayGoOn.signal()
            let count = try await slow.value.count
            #expect(count == Self.large.count)
        }
    }

    @Test func `draining waits for streams that are being passed on`() async throws {
        try await Self.open { fixture in
            let started = Event()
            let reading = Task {
                try await Self.read(fixture, "/slow/2000000/large.jpg") { _ in started.signal() }
            }
            try await started.wait()
            await fixture.server.drain()
            let count = try await reading.value.count
            #expect(count == Self.large.count)
        }
    }
}
