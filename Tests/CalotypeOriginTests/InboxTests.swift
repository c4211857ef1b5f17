import CalotypeCore
import CalotypeOrigin
import Testing

@Suite(.timeLimit(.minutes(1)))
struct InboxTests {
    /// Of the three bytes `abc`, by sha256sum.
    private static let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

    @Test func `a medium is stored, listed and returned`() async throws {
        try await withTestOrigin { origin, client in
            let answer = await client.send("PUT", "/inbox/album%201/a.jpg", "abc")
            #expect(answer.status == 201)
            #expect(answer.field("Location") == "/inbox/album%201/a.jpg")
            let told = answer.json()
            #expect(told["sha256"] == .text(Self.digest))
            #expect(told["length"] == .whole(3))
            #expect(told["url"] == .text("\(origin.baseURL)/inbox/album%201/a.jpg"))
            let back = await client.get("/inbox/album%201/a.jpg")
            #expect(back.text == "abc")
            #expect(back.field("Content-Type") == "image/jpeg")
            let head = await client.send("HEAD", "/inbox/album%201/a.jpg")
            #expect(head.field("Content-Length") == "3")
            #expect(head.body.isEmpty)
        }
    }

    @Test func `repeated bytes are distinguished from other bytes, and both are counted`() async throws {
        try await withTestOrigin { origin, client in
            #expect(await client.send("PUT", "/inbox/a", "abc").status == 201)
            #expect(await client.send("POST", "/inbox/a", "abc").status == 200)
            #expect(await client.send("PUT", "/inbox/a", "other").status == 204)
            #expect(await client.get("/inbox/a").text == "other")
            let medium = try #require(origin.received.media.first)
            #expect(medium.puts == 3)
            #expect(medium.created == 1)
            #expect(medium.replaced == 1)
            #expect(medium.length == 5)
            #expect(medium.bytesReceived == 11)
            #expect(medium.firstAt <= medium.lastAt)
            #expect(origin.received.bytesKept == 5)
        }
    }

    @Test func `a deleted medium is gone, and its room free`() async throws {
        try await withTestOrigin { origin, client in
            _ = await client.send("PUT", "/inbox/a", "abc")
            #expect(await client.send("DELETE", "/inbox/a").status == 204)
            #expect(await client.send("DELETE", "/inbox/a").status == 404)
            #expect(await client.get("/inbox/a").status == 404)
            let received = origin.received
            #expect(received.media.map(\.deleted) == [true])
            #expect(received.bytesKept == 0)
            #expect(await client.send("PUT", "/inbox/a", "abc").status == 201)
            #expect(origin.received.media.map(\.created) == [2])
        }
    }

    @Test func `a body that is cut leaves nothing, and is counted`() async throws {
        try await withTestOrigin { origin, client in
            _ = await client.send("PUT", "/inbox/a", "abc", length: 100, limit: 0)
            let received = try await origin.received { $0.media.first?.hangUps == 1 }
            #expect(received.media.map(\.bytesReceived) == [3])
            #expect(received.media.map(\.sha256) == [nil])
            #expect(received.bytesKept == 0)
            #expect(await client.get("/inbox/a").status == 404)
        }
    }

    @Test(arguments: [
        ("PUT", "/inbox/", "Content-Length: 1", 404), ("PUT", "/inbox/a", "Transfer-Encoding: chunked", 411),
        ("PUT", "/inbox/a", "Content-Length: 11", 413), ("PATCH", "/inbox/a", "Content-Length: 1", 405),
    ])
    func `what cannot be kept is refused before it is read`(
        method: String,
        path: String,
        field: String,
        status: Int
    ) async throws {
        try await withTestOrigin(configure: { $0.receiveLimit = ByteCount(10) }) { _, client in
            let answer = await client.send("\(method) \(path) HTTP/1.1\r\n\(field)\r\n\r\n")
            #expect(answer.status == status)
        }
    }

    @Test func `where room is wanting, the oldest medium keeps its digest only`() async throws {
        try await withTestOrigin(configure: { $0.receiveLimit = ByteCount(10) }) { origin, client in
            for name in ["a", "b", "c"] {
                #expect(await client.send("PUT", "/inbox/\(name)", "\(name)1234").status == 201)
            }
            #expect(await client.get("/inbox/a").status == 410)
            #expect(await client.get("/inbox/b").text == "b1234")
            #expect(await client.get("/inbox/c").text == "c1234")
            let received = origin.received
            #expect(received.bytesKept == 10)
            #expect(received.media.allSatisfy { $0.sha256 != nil && $0.length == 5 })
            #expect(await client.send("PUT", "/inbox/a", "a1234").status == 200)
            #expect(await client.get("/inbox/a").text == "a1234")
            #expect(await client.send("DELETE", "/inbox/b").status == 204)
            #expect(origin.received.bytesKept == 10)
        }
    }

    @Test func `more files than may be open at a time are taken all the same`() async throws {
        try await withTestOrigin { origin, client in
            for number in 0..<300 { _ = await client.send("PUT", "/inbox/\(number)", "\(number)") }
            #expect(await client.get("/inbox/0").status == 410)
            #expect(await client.get("/inbox/299").text == "299")
            #expect(origin.received.media.count == 300)
        }
    }

    @Test func `requests are noted`() async throws {
        try await withTestOrigin { origin, client in
            _ = await client.send("PUT", "/inbox/a?x=1", "abc", fields: ["Authorization: Basic eA=="])
            _ = await client.get("/inbox/b")
            let requests = origin.received.requests
            #expect(requests.map(\.method) == ["PUT", "GET"])
            #expect(requests.map(\.path) == ["/inbox/a?x=1", "/inbox/b"])
            #expect(requests.map(\.status) == [201, 404])
            #expect(requests.map(\.bytes) == [3, 0])
            #expect(requests.map(\.authorized) == [true, false])
        }
    }
}
