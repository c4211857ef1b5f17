import CalotypeCore
import CalotypeDigests
import CalotypeOrigin
import CalotypePlatform
import Testing

@Suite(.timeLimit(.minutes(1)))
struct TusTests {
    @Test func `the server says what it can do`() async throws {
        try await withTestOrigin(configure: { $0.receiveLimit = ByteCount(1000) }) { _, client in
            for path in ["/tus", "/tus/"] {
                let answer = await client.send("OPTIONS", path)
                #expect(answer.status == 204)
                #expect(answer.field("Tus-Version") == "1.0.0")
                #expect(answer.field("Tus-Max-Size") == "1000")
                #expect(answer.field("Tus-Extension")?.contains("creation-with-upload") == true)
                #expect(answer.field("Tus-Checksum-Algorithm") == "sha1,sha256,md5")
                #expect(answer.field("Content-Length") == nil)
            }
        }
    }

    @Test func `an upload comes in pieces, and is whole`() async throws {
        try await withTestOrigin { origin, client in
            let path = try await client.begin(
                10,
                fields: ["Upload-Metadata: filename YS5qcGc=,filetype aW1hZ2UvanBlZw==,private"]
            )
            #expect(await client.patch(path, 0, "01234").field("Upload-Offset") == "5")
            let head = await client.tus("HEAD", path)
            #expect(head.status == 200)
            #expect(head.field("Upload-Offset") == "5")
            #expect(head.field("Upload-Length") == "10")
            #expect(head.field("Cache-Control") == "no-store")
            #expect(head.field("Upload-Metadata")?.hasPrefix("filename YS5qcGc=") == true)
            #expect(head.field("Upload-Expires")?.hasSuffix("GMT") == true)
            #expect(await client.get(path).status == 409)
            let last = await client.patch(path, 5, "56789")
            #expect(last.status == 204)
            #expect(last.field("Upload-Offset") == "10")
            #expect(last.field("Upload-Expires") == nil)
            let back = await client.get(path)
            #expect(back.text == "0123456789")
            #expect(back.field("Content-Type") == "image/jpeg")
            let upload = try #require(origin.received.uploads.first)
            #expect(upload.complete)
            #expect(upload.sha256 == (try Digest(.sha256, of: "0123456789").hexadecimal))
            #expect(upload.metadata == ["filename": "a.jpg", "filetype": "image/jpeg", "private": ""])
            #expect(upload.patches == 2)
            #expect(upload.heads == 1)
            #expect(upload.bytesReceived == 10)
        }
    }

    @Test func `the first piece comes with the creation`() async throws {
        try await withTestOrigin { origin, client in
            let type = "Content-Type: application/offset+octet-stream"
            let answer = await client.tus("POST", "/tus/", "abc", fields: ["Upload-Length: 5", type])
            #expect(answer.status == 201)
            #expect(answer.field("Upload-Offset") == "3")
            let path = try #require(answer.field("Location"))
            #expect(await client.patch(path, 3, "de").status == 204)
            #expect(await client.get(path).text == "abcde")
        }
    }

    @Test func `an upload without bytes is complete immediately`() async throws {
        try await withTestOrigin { origin, client in
            let path = try await client.begin(0)
            #expect(await client.tus("HEAD", path).field("Upload-Offset") == "0")
            #expect(origin.received.uploads.map(\.complete) == [true])
            #expect(await client.get(path).status == 200)
        }
    }

    @Test func `what arrived before a cut stays, and the rest is requested`() async throws {
        try await withTestOrigin { origin, client in
            let path = try await client.begin(10)
            _ = await client.patch(path, 0, "012", length: 10, limit: 0)
            _ = try await origin.received { $0.uploads.first?.hangUps == 1 }
            #expect(await client.tus("HEAD", path).field("Upload-Offset") == "3")
            #expect(await client.patch(path, 3, "3456789").status == 204)
            #expect(await client.get(path).text == "0123456789")
        }
    }

    @Test(arguments: [
        ("Upload-Offset: 1", 409), ("Upload-Offset: -1", 400), ("Upload-Offset: x", 400), ("X: y", 400),
    ])
    func `a piece that begins elsewhere changes nothing`(field: String, status: Int) async throws {
        try await withTestOrigin { origin, client in
            let path = try await client.begin(10)
            let fields = [field, "Content-Type: application/offset+octet-stream"]
            let answer = await client.tus("PATCH", path, "01234", fields: fields)
            #expect(answer.status == status)
            #expect(answer.field("Tus-Resumable") == "1.0.0")
            #expect(answer.field("Upload-Offset") == nil)
            #expect(origin.received.uploads.map(\.offset) == [0])
            #expect(origin.received.uploads.map(\.conflicts) == [status == 409 ? 1 : 0])
        }
    }

    @Test func `a piece of another type, or longer than what is left, is refused`() async throws {
        try await withTestOrigin { origin, client in
            let path = try await client.begin(2)
            #expect(await client.tus("PATCH", path, "ab", fields: ["Upload-Offset: 0"]).status == 415)
            #expect(await client.patch(path, 0, "abc").status == 413)
            #expect(origin.received.uploads.map(\.offset) == [0])
            #expect(await client.tus("PUT", path).status == 405)
        }
    }

    @Test(
        arguments: [
            ([], 400), (["Upload-Length: x"], 400), (["Upload-Length: 1001"], 413),
            (["Upload-Defer-Length: 1"], 400),
            (["Upload-Length: 5", "Upload-Metadata: a b c"], 400),
            (["Upload-Length: 5", "Upload-Metadata: a !"], 400),
        ] as [([String], Int)]
    )
    func `an invalid creation is refused`(fields: [String], status: Int) async throws {
        try await withTestOrigin(configure: { $0.receiveLimit = ByteCount(1000) }) { origin, client in
            #expect(await client.tus("POST", "/tus/", fields: fields).status == status)
            #expect(origin.received.uploads.isEmpty)
        }
    }

    @Test func `a client of another version receives the supported one`() async throws {
        try await withTestOrigin { _, client in
            let answer = await client.send(
                "POST",
                "/tus/",
                fields: ["Tus-Resumable: 0.2.2", "Upload-Length: 5"]
            )
            #expect(answer.status == 412)
            #expect(answer.field("Tus-Version") == "1.0.0")
        }
    }

    @Test func `one request at a time has an upload`() async throws {
        try await withTestOrigin { origin, client in
            let path = try await client.begin(10)
            let first = RawClient.connected(to: origin.port)
            LifetimeTests.write(RawClient.patchText(path, 0, "012", length: 10), to: first)
            _ = try await origin.received { $0.uploads.first?.offset == 3 }
            #expect(await client.tus("HEAD", path).status == 423)
            #expect(await client.patch(path, 3, "3456789").status == 423)
            #expect(await client.tus("DELETE", path).status == 423)
            #expect(origin.received.uploads.map(\.locked) == [3])
            close(first)
            _ = try await origin.received { $0.uploads.first?.hangUps == 1 }
            #expect(await client.patch(path, 3, "3456789").status == 204)
        }
    }

    @Test func `an upload is terminated, and its room free`() async throws {
        try await withTestOrigin { origin, client in
            let path = try await client.begin(10)
            _ = await client.patch(path, 0, "01234")
            #expect(origin.received.bytesKept == 5)
            #expect(await client.tus("DELETE", path).status == 204)
            #expect(await client.tus("HEAD", path).status == 404)
            #expect(await client.patch(path, 5, "56789").status == 404)
            #expect(origin.received.uploads.map(\.deleted) == [true])
            #expect(origin.received.uploads.map(\.offset) == [5])
            #expect(origin.received.bytesKept == 0)
        }
    }

    @Test func `an upload that lies too long expires`() async throws {
        try await withTestOrigin(configure: { $0.uploadLifetime = .zero }) { origin, client in
            let path = try await client.begin(10)
            #expect(await client.tus("HEAD", path).status == 410)
            #expect(origin.received.uploads.map(\.expired) == [true])
            let other = try await client.begin(0)
            #expect(await client.tus("HEAD", other).status == 200)
        }
    }

    @Test(arguments: [
        ("sha1 qZk+NkcGgWq6PiVxeFDCbJzQ2J0=", 204),
        ("sha256 ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=", 204),
        ("sha1 AAAA", 460), ("crc32 AAAA", 400), ("sha1", 400), ("sha1 !", 400),
    ])
    func `a piece is compared with its digest`(checksum: String, status: Int) async throws {
        try await withTestOrigin { origin, client in
            let path = try await client.begin(6)
            _ = await client.patch(path, 0, "xyz")
            let answer = await client.patch(path, 3, "abc", fields: ["Upload-Checksum: \(checksum)"])
            #expect(answer.status == status)
            #expect(origin.received.uploads.map(\.offset) == [status == 204 ? 6 : 3])
            #expect(origin.received.bytesKept == (status == 204 ? 6 : 3))
        }
    }

    @Test func `PATCH may be said in the field for weak proxies`() async throws {
        try await withTestOrigin { _, client in
            let path = try await client.begin(3)
            let fields = [
                "X-HTTP-Method-Override: PATCH", "Upload-Offset: 0",
                "Content-Type: application/offset+octet-stream",
            ]
            #expect(await client.tus("POST", path, "abc", fields: fields).status == 204)
            #expect(await client.tus("POST", path).status == 405)
        }
    }

    @Test func `where room is wanting, nothing more is taken, and what is complete gives way`() async throws {
        try await withTestOrigin(configure: { $0.receiveLimit = ByteCount(10) }) { origin, client in
            let whole = try await client.begin(4)
            _ = await client.patch(whole, 0, "abcd")
            let first = try await client.begin(8)
            #expect(await client.patch(first, 0, "0123456").status == 204)
            #expect(await client.get(whole).status == 410)
            #expect(origin.received.uploads.first?.sha256 != nil)
            let second = try await client.begin(4)
            #expect(await client.patch(second, 0, "abcd").status == 507)
            #expect(await client.tus("HEAD", second).field("Upload-Offset") == "0")
        }
    }
}

extension RawClient {
    /// The text of a PATCH.
    static func patchText(_ path: String, _ offset: Int, _ body: String, length: Int? = nil) -> String {
        let lines = [
            "PATCH \(path) HTTP/1.1", "Tus-Resumable: 1.0.0", "Upload-Offset: \(offset)",
            "Content-Type: application/offset+octet-stream", "Content-Length: \(length ?? body.utf8.count)",
        ]
        return lines.joined(separator: "\r\n") + "\r\n\r\n" + body
    }

    /// Sends a request as tus has them.
    func tus(
        _ method: String,
        _ path: String,
        _ body: String = "",
        length: Int? = nil,
        limit: Int = .max,
        fields: [String] = []
    ) async -> Exchange {
        await send(
            method,
            path,
            body,
            length: length,
            limit: limit,
            fields: ["Tus-Resumable: 1.0.0"] + fields
        )
    }

    /// Begins an upload below `root`; the path of the upload.
    func begin(_ length: Int, at root: String = "/tus/", fields: [String] = []) async throws -> String {
        let answer = await tus("POST", root, fields: ["Upload-Length: \(length)"] + fields)
        #expect(answer.status == 201)
        return try #require(answer.field("Location"))
    }

    func patch(
        _ path: String,
        _ offset: Int,
        _ body: String,
        length: Int? = nil,
        limit: Int = .max,
        fields: [String] = []
    ) async -> Exchange {
        let usual = ["Upload-Offset: \(offset)", "Content-Type: application/offset+octet-stream"]
        return await tus("PATCH", path, body, length: length, limit: limit, fields: usual + fields)
    }
}
