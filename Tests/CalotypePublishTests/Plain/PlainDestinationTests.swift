import CalotypeCore
import CalotypeDigests
import CalotypeFiles
import CalotypeHTTP
import CalotypeTestKit
import Testing

@testable import CalotypePublish

@Suite(.timeLimit(.minutes(1)))
struct PlainDestinationTests {
    private static let folder = "https://social.test/files/inbox?sig=hunter2"
    private static let put = "PUT /files/inbox/k-photo.jpg?sig=hunter2"
    private static let head = "HEAD /files/inbox/k-photo.jpg?sig=hunter2"
    private static let post = "POST /files/inbox?sig=hunter2"

    private let server: ScriptedServer
    private let log: SessionLog

    init() throws {
        server = try ScriptedServer()
        server.on(Self.head, .status(200, headers: ["Content-Length": "10"]))
        log = SessionLog(server.client())
    }

    private var deletes: [String] { server.lines.filter { $0.hasPrefix("DELETE") } }

    private func destination(_ method: HTTPMethod) throws -> PlainDestination {
        PlainDestination(
            folder: try WebURL(Self.folder),
            method: method,
            post: PlainPost(server.url),
            authorization: Secret("Bearer token")
        )
    }

    private func upload(_ method: HTTPMethod) async throws -> UploadedMedium {
        try await withScratchFolder { folder in
            try await destination(method).upload(try sampleMedium(10, in: folder), log.upload(key: "k"))
        }
    }

    private func answer(_ line: String, _ location: String?) {
        server.on(line, location.map { .status(201, headers: ["Location": $0]) } ?? .status(201))
    }

    @Test(arguments: [
        nil, "/", "/files", "/files/", "/files/inbox", "/files/inbox/", "/files/inbox?id=7", "/Files/Inbox",
        "/files/%69nbox", "/files//inbox/.", "/files/inbox/x/..", "/files/inbox%2F",
        "https://other.test/files/inbox/7", "?id=7", ".",
    ])
    func `what is removed is never the folder, nor what is above it or elsewhere`(
        location: String?
    ) async throws {
        answer(Self.post, location)
        let uploaded = try await upload(.post)
        #expect(log.states.values.isEmpty)
        try await destination(.post).discard(log.state, uploaded, server.client())
        // As an earlier version remembered it.
        let folder = RememberedState(json: #"{"url": "https://social.test/files/inbox"}"#)
        try await destination(.post).discard(folder, nil, server.client())
        try await destination(.put).discard(folder, uploaded, server.client())
        #expect(deletes.isEmpty)
    }

    @Test(arguments: [
        ("/files/inbox/7", "https://social.test/files/inbox/7", "/files/inbox/7?sig=hunter2"),
        ("inbox/7?sig=hunter2", "https://social.test/files/inbox/7", "/files/inbox/7?sig=hunter2"),
        ("/media?id=7", "https://social.test/media?id=7", "/media?id=7"),
        ("/files/inbox-7", "https://social.test/files/inbox-7", "/files/inbox-7?sig=hunter2"),
    ])
    func `of a POST the place is removed that the server named`(
        location: String,
        url: String,
        deleted: String
    ) async throws {
        answer(Self.post, location)
        let uploaded = try await upload(.post)
        #expect(uploaded == UploadedMedium(id: url, url: url))
        server.on("DELETE \(deleted)", .status(204))
        try await destination(.post).discard(log.state, uploaded, server.client())
        #expect(deletes == ["DELETE \(deleted)"])
    }

    @Test func `of a PUT its own URL is removed, with the signature that is nowhere written`()
        async throws
    {
        answer(Self.put, "/shown/9")
        let uploaded = try await upload(.put)
        #expect(log.state.json == #"{"url":"https://social.test/files/inbox/k-photo.jpg"}"#)
        #expect(uploaded.url == "https://social.test/shown/9")
        try await destination(.put).discard(log.state, uploaded, server.client())
        #expect(deletes == ["DELETE /files/inbox/k-photo.jpg?sig=hunter2"])
    }

    // MARK: What a success is worth

    private static let page: KeyValuePairs = ["Content-Type": "text/html; charset=utf-8"]

    private static func told(_ length: Int, _ type: String = "image/jpeg") -> ScriptedResponse {
        .status(200, headers: ["Content-Length": "\(length)", "Content-Type": type])
    }

    @Test(
        arguments: [
            (told(10), nil), (told(10, "text/html"), nil), (told(9), PublishError.Remedy.retry),
            (told(2000, "text/html"), PublishError.Remedy.none),
            (.status(200, headers: page), PublishError.Remedy.none),
            (.status(404), .retry), (.status(410), .retry), (.status(503), .retry), (.status(200), .retry),
            (.status(403), nil),
            (.status(405), nil), (.status(501), nil),
            (.status(200, headers: ["Content-Encoding": "gzip", "Content-Length": "4"]), nil),
            (.status(200, headers: ["Repr-Digest": "sha-256=:AAAA:"]), .retry),
            (.status(200, headers: ["Digest": "MD5=AAAA, SHA-256=AAAA"]), .retry),
        ] as [(ScriptedResponse, PublishError.Remedy?)]
    )
    func `what a PUT has stored is looked at`(
        answer: ScriptedResponse,
        remedy: PublishError.Remedy?
    ) async throws {
        server.on(Self.put, .status(201))
        server.on(Self.head, answer)
        let failure = await publishFailure { try await upload(.put) }
        #expect(failure?.remedy == remedy)
        let isOpen = failure?.error.code == .http(status: 503)
        #expect(failure == nil || isOpen || failure?.error.code == .notStored)
        #expect(
            failure.map { $0.description.contains("photo.jpg") && !$0.description.contains("hunter2") }
                != false
        )
    }

    @Test func `a digest proves what is stored, whatever the length says`() async throws {
        let digest = try Digest(.sha256, of: noise(10))
        server.on(Self.put, .status(200))
        let text = Base64.text(digest.bytes)
        for headers in [
            ["Repr-Digest": "sha-256=:\(text):"], ["Digest": "sha-256=\(text)"],
            ["ETag": "\"\(digest.hexadecimal)\"", "Content-Length": "77"],
        ] as [KeyValuePairs<String, String>] {
            server.on(Self.head, .status(200, headers: headers))
            _ = try await upload(.put)
        }
    }

    @Test(arguments: [(200, true), (202, true), (201, false), (204, false)])
    func `a page is no proof where nobody can look`(status: Int, isRefused: Bool) async throws {
        server.on(Self.head, .status(405))
        for (method, line) in [(HTTPMethod.put, Self.put), (.post, Self.post)] {
            server.on(line, .status(status, headers: Self.page))
            let failure = await publishFailure { try await upload(method) }
            #expect(failure?.error.code == (isRefused ? .notStored : nil))
        }
    }

    @Test(arguments: ["ftp://social.test/7", "https://", "https://social.test:99999/7", "https://a b/7", ""])
    func `a place that is no URL fails no upload`(location: String) async throws {
        answer(Self.put, location)
        answer(Self.post, location)
        let uploaded = try await upload(.put)
        #expect(uploaded.url == "https://social.test/files/inbox/k-photo.jpg")
        let posted = try await upload(.post)
        #expect(posted.url == nil)
    }

    @Test func `a signature is in no error`() async throws {
        server.on(Self.put, .status(500), .failure(ScriptedSite.reset))
        let refused = try #require(await publishFailure { try await upload(.put) })
        #expect(refused.error.url == "https://social.test/files/inbox/k-photo.jpg")
        let cut = await #expect(throws: CalotypeError.self) { try await upload(.put) }
        let failure = PublishError(try #require(cut))
        #expect(failure.error.url == "https://social.test/files/inbox/k-photo.jpg")
        server.on("DELETE /files/inbox/k-photo.jpg?sig=hunter2", .status(500))
        let kept = try #require(
            await publishFailure {
                try await destination(.put).discard(log.state, nil, server.client())
            }
        )
        #expect(kept.error.code == .http(status: 500))
        #expect(![refused, failure, kept].contains { $0.description.contains("hunter2") })
    }
}
