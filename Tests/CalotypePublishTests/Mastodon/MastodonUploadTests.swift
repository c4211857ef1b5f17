import CalotypeCore
import CalotypeHTTP
import CalotypeTestKit
import Testing

@testable import CalotypePublish

@Suite(.timeLimit(.minutes(1)))
struct MastodonUploadTests {
    private static let processing = ScriptedResponse.json(#"{"id": "7", "url": null}"#, status: 206)
    private static let ready = ScriptedResponse.json(#"{"id": "7", "url": "https://cdn.test/7.mp4"}"#)
    private static let accepted = ScriptedResponse.json(#"{"id": "7", "url": null}"#, status: 202)
    private static let uploaded = UploadedMedium(id: "7", url: "https://cdn.test/7.mp4")

    private let server: ScriptedServer
    private let log: SessionLog

    init() throws {
        server = try ScriptedServer()
        log = SessionLog(server.client())
    }

    private var destination: MastodonDestination {
        MastodonDestination(server: server.url, token: Secret("hunter2"))
    }

    /// One attempt with a medium of `count` bytes.
    private func upload(_ count: Int = 1000, name: String = "photo.jpg") async throws -> UploadedMedium {
        try await withScratchFolder { folder in
            let medium = try sampleMedium(count, in: folder, name: name, altText: "A cat")
            return try await destination.upload(medium, log.upload())
        }
    }

    @Test func `a picture is sent once, with what belongs to it`() async throws {
        server.on("POST /api/v2/media", .json(#"{"id": 7, "url": "https://cdn.test/7.jpg"}"#))
        let uploaded = try await withScratchFolder { folder in
            let medium = PreparedMedium(
                position: 0,
                name: "a\"b.jpg",
                file: try .writing(Array("the picture".utf8), to: "\(folder)/0"),
                type: MediaType("image/jpeg"),
                altText: "A cat, a \"dog\"",
                focus: Media.Focus(x: 0.00001, y: -0.5),
                thumbnail: try .writing(Array("small".utf8), to: "\(folder)/1")
            )
            return try await destination.upload(medium, log.upload(key: "k-0"))
        }
        #expect(uploaded == UploadedMedium(id: "7", url: "https://cdn.test/7.jpg"))
        #expect(server.lines == ["POST /api/v2/media"])
        let separator = "--calotype-k-0\r\nContent-Disposition: form-data; name="
        #expect(
            server.body(of: "POST /api/v2/media")
                == "\(separator)\"description\"\r\n\r\nA cat, a \"dog\"\r\n"
                + "\(separator)\"focus\"\r\n\r\n0.0,-0.5\r\n"
                + "\(separator)\"thumbnail\"; filename=\"k-0-thumbnail\"\r\n"
                + "Content-Type: application/octet-stream\r\n\r\nsmall\r\n"
                + "\(separator)\"file\"; filename=\"k-0-a%22b.jpg\"\r\nContent-Type: image/jpeg\r\n\r\n"
                + "the picture\r\n--calotype-k-0--\r\n"
        )
        #expect(server.transport.requests[0].headers["Authorization"] == "Bearer hunter2")
        #expect(log.states.values.isEmpty)
        #expect(log.processing.values.isEmpty)
    }

    @Test func `the bytes that left are those of the file, and all are acknowledged at the end`()
        async throws
    {
        server.on("POST /api/v2/media", Self.ready)
        _ = try await upload(300_000)
        #expect(log.acknowledged.values == [ByteCount(300_000)])
        let sent = log.sent.values.map(\.bytes)
        #expect(sent == sent.sorted())
        #expect(sent.first == 0)
        #expect((300_000...300_100).contains(try #require(sent.last)))
    }

    @Test func `a video is queried until it is processed`() async throws {
        server.on("POST /api/v2/media", Self.accepted)
        let again = Self.processing
        server.on("GET /api/v1/media/7", again, again, again, again, again, Self.ready)
        let uploaded = try await upload()
        #expect(uploaded == Self.uploaded)
        #expect(log.pauses.values == [1, 2, 4, 8, 10, 10].map { .seconds($0) })
        #expect(log.processing.values.count == 1)
        #expect(log.states.values.count == 1)
        #expect(log.acknowledged.values == [ByteCount(1000)])
        #expect(server.lines.count { $0.hasPrefix("POST") } == 1)
    }

    @Test func `a server that never comes to an end is given up`() async throws {
        server.on("POST /api/v2/media", Self.accepted)
        server.on("GET /api/v1/media/7", Self.processing)
        let failure = try #require(await publishFailure { try await upload() })
        #expect(failure.error.code.rawValue == "processing_timeout")
        #expect(failure.remedy == .none)
        #expect(Array(log.pauses.values.prefix(6)) == [1, 2, 4, 8, 10, 10].map { Duration.seconds($0) })
        #expect(log.pauses.values.reduce(.zero, +) == .seconds(125))
        #expect(server.lines.count { $0.hasPrefix("POST") } == 1)
    }

    @Test(arguments: [(0, 125), (10 << 20, 145), (100 << 20, 325)])
    func `larger media are waited for longer`(size: Int, seconds: Int) {
        var pauses = ProcessingPauses(for: ByteCount(size))
        var sum = Duration.zero
        while let pause = pauses.next() { sum += pause }
        #expect(sum == .seconds(seconds))
    }

    @Test func `what the server cannot process is final`() async throws {
        server.on("POST /api/v2/media", Self.accepted)
        server.on("GET /api/v1/media/7", Self.processing, .json(#"{"error": "Broken"}"#, status: 422))
        let failure = try #require(await publishFailure { try await upload(name: "cat.mp4") })
        #expect(failure.error.code.rawValue == "processing_failed")
        #expect(failure.remedy == .none)
        #expect(failure.error.message == "the server cannot use cat.mp4: Broken")
    }

    @Test(arguments: [404, 405])
    func `an older server takes it elsewhere`(status: Int) async throws {
        server.on("POST /api/v2/media", .status(status))
        server.on("POST /api/v1/media", Self.ready)
        let uploaded = try await upload()
        #expect(uploaded == Self.uploaded)
        #expect(server.lines == ["POST /api/v2/media", "POST /api/v1/media"])
        let bodies = server.transport.receivedBodies
        #expect(bodies[0] == bodies[1])
    }

    @Test func `a server that cannot be asked has said enough with the URL`() async throws {
        // Taken, not processed, and yet a URL.
        server.on("POST /api/v2/media", .json(#"{"id": "7", "url": "https://cdn.test/7.mp4"}"#, status: 202))
        let uploaded = try await upload()
        #expect(uploaded == Self.uploaded)
        #expect(server.lines == ["POST /api/v2/media", "GET /api/v1/media/7"])
    }

    @Test func `a medium that is accepted without a URL is queried`() async throws {
        server.on("POST /api/v2/media", .json(#"{"id": "7"}"#))
        server.on("GET /api/v1/media/7", Self.processing, Self.ready)
        let uploaded = try await upload()
        #expect(uploaded == Self.uploaded)
    }

    @Test func `the next attempt asks before it sends`() async throws {
        server.on("POST /api/v2/media", Self.accepted)
        server.on("GET /api/v1/media/7", .status(503), Self.processing, Self.ready)
        let first = try #require(await publishFailure { try await upload() })
        #expect(first.remedy == .retry)
        let uploaded = try await upload()
        #expect(uploaded == Self.uploaded)
        #expect(server.lines.count { $0.hasPrefix("POST") } == 1)
        #expect(log.pauses.values == [.seconds(1), .seconds(1)])
        #expect(log.processing.values.count == 2)
    }

    @Test(arguments: [404, 410])
    func `a medium that the server has dropped is sent again`(status: Int) async throws {
        server.on("POST /api/v2/media", Self.accepted)
        server.on("GET /api/v1/media/7", .status(500), .status(status))
        _ = await publishFailure { try await upload() }
        let failure = try #require(await publishFailure { try await upload() })
        #expect(failure.remedy == .startOver)
        #expect(server.lines.count == 3)
    }

    @Test func `a rate limit is waited for as long as the server says`() async throws {
        let now = WallTime(secondsSince1970: 1_800_000_000)
        // 20.25 s later.
        let headers: KeyValuePairs = [
            "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "2027-01-15T08:00:20.250000Z",
        ]
        server.on(
            "POST /api/v2/media",
            .json(#"{"error": "Too many requests"}"#, status: 429, headers: headers)
        )
        let log = SessionLog(server.client(now: now))
        let failure = try await withScratchFolder { folder in
            let medium = try sampleMedium(10, in: folder)
            return await publishFailure { try await destination.upload(medium, log.upload()) }
        }
        #expect(failure?.remedy == .wait(.milliseconds(20_250)))
        #expect(failure?.error.code == .http(status: 429))
    }

    @Test func `an exhausted limit is no reason to wait after a success`() async throws {
        let headers: KeyValuePairs = [
            "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "2099-01-01T00:00:00Z",
        ]
        server.on(
            "POST /api/v2/media",
            .json(#"{"id": "7", "url": "https://a.test/7"}"#, headers: headers)
        )
        let uploaded = try await upload()
        #expect(uploaded.id == "7")
    }

    @Test func `a refused token ends all, and is not shown`() async throws {
        server.on(
            "POST /api/v2/media",
            .json(#"{"error": "The access token was revoked"}"#, status: 401)
        )
        let failure = try #require(await publishFailure { try await upload() })
        #expect(failure.error.code.rawValue == "unauthorized")
        #expect(failure.remedy == .none)
        #expect(failure.error.message.contains("was revoked"))
        #expect(!"\(failure.error)".contains("hunter2"))
    }

    @Test(arguments: [401, 413, 422])
    func `an early refusal is believed, and the rest of the file is not read`(status: Int) async throws {
        server.on(
            "POST /api/v2/media",
            ScriptedResponse(
                status: status,
                beforeHead: [.receive(.kibibytes(64))],
                body: [.bytes(Array(#"{"error": "Too large"}"#.utf8))]
            )
        )
        let failure = try #require(await publishFailure { try await upload(1 << 20) })
        #expect(failure.remedy == .none)
        #expect(failure.error.code.rawValue == (status == 401 ? "unauthorized" : "http_\(status)"))
        #expect(failure.error.message.contains("Too large"))
        #expect(server.transport.statistics.sentBytes < .kibibytes(256))
        #expect(log.acknowledged.values.isEmpty)
    }

    @Test func `a picture that the server cannot scale is not sent again and again`() async throws {
        let text = "Error processing thumbnail for uploaded media"
        server.on(
            "POST /api/v2/media",
            .json("{\"error\": \"\(text)\"}", status: 500),
            .json(#"{"error": "Oops"}"#, status: 500)
        )
        let first = try #require(await publishFailure { try await upload() })
        #expect(first.remedy == .none)
        #expect(first.error.message.contains(text))
        let second = try #require(await publishFailure { try await upload() })
        #expect(second.remedy == .retry)
    }

    @Test func `an unreadable response is retried`() async throws {
        server.on("POST /api/v2/media", .bytes(Array("<html>".utf8)))
        let failure = try #require(await publishFailure { try await upload() })
        #expect(failure.remedy == .retry)
    }

    // MARK: Removing

    @discardableResult
    private func discard(_ uploaded: UploadedMedium?) async throws -> Discarded {
        try await destination.discard(log.state, uploaded, server.client())
    }

    @Test(arguments: [
        (200, 404, Discarded.removed), (204, 404, .removed), (410, 404, .removed), (404, 404, .removed),
        (404, 200, .kept), (405, 206, .kept), (501, 200, .kept), (422, 200, .kept),
    ])
    func `what is not needed is removed, where the server can`(
        status: Int,
        after: Int,
        discarded: Discarded
    ) async throws {
        server.on("DELETE /api/v1/media/a%2Fb%20%C3%A9", .status(status))
        server.on("GET /api/v1/media/a%2Fb%20%C3%A9", .status(after))
        #expect(try await discard(UploadedMedium(id: "a/b é")) == discarded)
    }

    @Test func `what is processed can be removed too`() async throws {
        server.on("POST /api/v2/media", Self.accepted)
        server.on("GET /api/v1/media/7", .status(503))
        server.on("DELETE /api/v1/media/7", .status(200))
        _ = await publishFailure { try await upload() }
        try await discard(nil)
        #expect(server.lines.last == "DELETE /api/v1/media/7")
    }

    @Test func `what was never taken needs no removal`() async throws {
        try await discard(nil)
        #expect(server.lines.isEmpty)
    }

    @Test func `a removal that failed is reported`() async throws {
        server.on("DELETE /api/v1/media/7", .status(503), .status(401))
        let first = try #require(await publishFailure { try await discard(Self.uploaded) })
        #expect(first.remedy == .retry)
        let second = try #require(await publishFailure { try await discard(Self.uploaded) })
        #expect(second.error.code.rawValue == "unauthorized")
    }
}
