import CalotypeOrigin
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ProtocolTests {
    private static let get = "GET /pictures/in%20a/folder/b.png HTTP/1.1\r\nHost: x\r\n"

    @Test func `requests sent at the same time get their responses in turn on one connection`() async throws {
        try await withTestOrigin { origin, client in
            let answer = await client.send(
                "\(Self.get)\r\n\(Self.get)\r\n\(Self.get)Connection: close\r\n\r\n"
            )
            #expect(
                String(decoding: answer.bytes, as: UTF8.self).split(separator: "HTTP/1.1 200 OK").count == 3
            )
            #expect(answer.bytes.count > 1500)
            let counts = try await origin.statistics { $0.openConnections == 0 }
            #expect(counts.requests == 3)
            #expect(counts.connections == 1)
        }
    }

    @Test func `HTTP 1.0 closes the connection after the response`() async throws {
        try await withTestOrigin { _, client in
            let answer = await client.send("GET /pictures/a.jpg HTTP/1.0\n\n")
            #expect(answer.body == TestPictures.small)
            #expect(answer.end == .closed)
        }
    }

    @Test(arguments: [
        ("nonsense\r\n\r\n", 400), ("GET / HTTP/2\r\n\r\n", 400), ("GET / HTTP/1.1\r\n: x\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\nab", 405),
        ("GET / HTTP/1.1\r\nX: \(String(repeating: "x", count: 17_000))\r\n\r\n", 431),
        ("GET /nothing HTTP/1.1\r\nConnection: close\r\n\r\n", 404),
        ("GET /pictures/%zz HTTP/1.1\r\nConnection: close\r\n\r\n", 404),
        ("GET /pictures/../../etc/passwd HTTP/1.1\r\nConnection: close\r\n\r\n", 404),
        ("GET /cut/999/a.jpg HTTP/1.1\r\nConnection: close\r\n\r\n", 400),
        ("GET /latency/x/a.jpg HTTP/1.1\r\nConnection: close\r\n\r\n", 400),
        ("GET http://127.0.0.1/list.txt HTTP/1.1\r\nConnection: close\r\n\r\n", 200),
    ])
    func `a request gets the status it deserves`(request: String, status: Int) async throws {
        try await withTestOrigin { _, client in
            #expect(await client.send(request).status == status)
        }
    }

    @Test func `the lists name every picture, the demo some odd URLs too`() async throws {
        let names = (0..<40).map { ("\($0).jpg", [UInt8(1)]) }
        try await withTestOrigin(Dictionary(uniqueKeysWithValues: names)) { origin, client in
            let list = String(decoding: await client.get("/list.txt").body, as: UTF8.self).split(
                separator: "\n"
            )
            #expect(list.count == 40)
            #expect(list.allSatisfy { $0.hasPrefix("\(origin.baseURL)/pictures/") })
            let demo = String(decoding: await client.get("/demo.txt").body, as: UTF8.self).split(
                separator: "\n"
            )
            #expect(demo.count == 44)
            #expect(Set(list).isSubset(of: demo))
        }
    }

    @Test func `the index page, the help and the table name the same paths`() async throws {
        try await withTestOrigin { _, client in
            let page = String(decoding: await client.get("/").body, as: UTF8.self)
            for (word, _) in Origin.words { #expect(page.contains("<code>\(word)</code>")) }
            #expect(Origin.words.contains { $0.word == "/stall/PERCENT/NAME" })
        }
    }
}
