import CalotypeCore
import CalotypeHTTP
import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypePublish

@Suite(.timeLimit(.minutes(1))) struct TusUploadTests {
    private static let key = "5d0c4b8e-0001-4000-8000-000000000000-0"

    @Test func `an upload is created, remembered, and sent in pieces, each of them acknowledged`()
        async throws
    {
        try await withScratchFolder { folder in
            let server = try ScriptedTus()
            let remembered = Recorder<Int>()
            server.next(.patch) { [log = server.log] _, _, _ in
                remembered.record(log.states.count)
                return nil
            }
            let medium = try sampleMedium(250, in: folder)
            let uploaded = try await server.attempt(medium)
            #expect(
                uploaded
                    == UploadedMedium(id: "https://media.test/files/1", url: "https://media.test/files/1")
            )
            #expect(
                server.course == [
                    "POST /files/", "PATCH /files/1 0", "PATCH /files/1 100", "PATCH /files/1 200",
                ]
            )
            #expect(server.bytes == noise(250))
            #expect(remembered.values == [1])
            #expect(server.log.acknowledged.values.map(\.bytes) == [0, 100, 200, 250])
            #expect(server.log.sent.values.last == ByteCount(250))
        }
    }

    @Test func `a request says what the protocol wants`() async throws {
        try await withScratchFolder { folder in
            let server = try ScriptedTus()
            try await server.attempt(try sampleMedium(100, in: folder))
            let requests = server.transport.requests
            #expect(requests.map { $0.headers["Tus-Resumable"] } == ["1.0.0", "1.0.0"])
            #expect(requests[0].headers["Upload-Length"] == "100")
            #expect(requests[0].headers["Content-Type"] == nil)
            #expect(requests[1].headers["Content-Type"] == "application/offset+octet-stream")
            #expect(requests.allSatisfy { $0.headers["Authorization"] == nil })
        }
    }

    @Test func `an empty file is whole when its upload is created`() async throws {
        try await withScratchFolder { folder in
            let server = try ScriptedTus()
            try await server.attempt(try sampleMedium(0, in: folder))
            #expect(server.course == ["POST /files/"])
            #expect(server.log.acknowledged.values == [ByteCount(0)])
            #expect(server.log.states.count == 1)
        }
    }

    @Test(arguments: [
        (0, 1, ["OPTIONS /files/", "POST /files/", "PATCH /files/1 0"]),
        (64, 64, ["OPTIONS /files/", "POST /files/"]),
        (64, 65, ["OPTIONS /files/", "POST /files/", "PATCH /files/1 0"]),
    ])
    func
        `a small file is sent with the creation of its upload if that is configured and the server accepts it`(
            limit: Int,
            size: Int,
            course: [String]
        ) async throws
    {
        try await withScratchFolder { folder in
            let server = try ScriptedTus()
            var destination = server.destination()
            destination.smallFileBytes = ByteCount(limit)
            _ = try await destination.limits(PublishClient(HTTPClient(server.transport)))
            _ = try await destination.upload(try sampleMedium(size, in: folder), server.log.upload())
            #expect(server.course == course)
            #expect(server.bytes == noise(size))
            #expect(server.log.acknowledged.values.last == ByteCount(size))
        }
    }

    @Test func `of what came with the creation, the server says how much it kept`() async throws {
        try await withScratchFolder { folder in
            let server = try ScriptedTus()
            server.next(.post) { store, _, body in
                (store.created, store.bytes) = (1, Array(body.prefix(20)))
                return .status(201, headers: ["Location": "1"])
            }
            var destination = server.destination()
            destination.smallFileBytes = ByteCount(64)
            _ = try await destination.limits(PublishClient(HTTPClient(server.transport)))
            _ = try await destination.upload(try sampleMedium(60, in: folder), server.log.upload())
            #expect(server.course.dropFirst(2) == ["HEAD /files/1", "PATCH /files/1 20"])
            #expect(server.bytes == noise(60))
        }
    }

    @Test(arguments: [
        "a \"quoted\" name.jpg", "two\r\nX-Evil: lines.jpg", "../../etc/passwd", "🖼️ сон.jpg", "a,b c.jpg",
        String(repeating: "n", count: 300),
    ])
    func `a name is only ever a value`(name: String) async throws {
        try await withScratchFolder { folder in
            let server = try ScriptedTus()
            try await server.attempt(try sampleMedium(10, in: folder, name: name, type: "image/jpeg"))
            let pairs = server.metadata.split(separator: ",").map {
                $0.split(separator: " ").map(String.init)
            }
            #expect(pairs.map { $0[0] } == ["filename", "filetype"])
            let values = pairs.map { Data(base64Encoded: $0[1]).map { String(decoding: $0, as: UTF8.self) } }
            #expect(values == ["\(Self.key)-\(name)", "image/jpeg"])
        }
    }

    @Test(arguments: [nil, "Bearer token"])
    func `credentials go with each request`(token: String?) async throws {
        try await withScratchFolder { folder in
            let server = try ScriptedTus("https://me:secret@media.test/files/")
            var destination = TusDestination(
                endpoint: server.endpoint,
                post: PlainPost(server.endpoint),
                authorization: token.map { Secret($0) }
            )
            destination.pieceBytes = ByteCount(50)
            let client = PublishClient(HTTPClient(server.transport))
            let medium = try sampleMedium(100, in: folder)
            _ = try await destination.limits(client)
            let uploaded = try await destination.upload(medium, server.log.upload())
            _ = try await destination.upload(medium, server.log.upload())
            try await destination.discard(server.log.state, uploaded, client)
            let sent = server.transport.requests.map { $0.sentFields["Authorization"] }
            #expect(sent.count == 6)
            #expect(Set(sent) == [token ?? "Basic bWU6c2VjcmV0"])
            #expect(destination.name == "tus+https://media.test/files/")
            #expect(!(server.log.state.json ?? "").contains("secret"))
        }
    }
}
