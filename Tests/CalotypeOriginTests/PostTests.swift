import CalotypeOrigin
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1)))
struct PostTests {
    private static let post = #"{"text": "hello", "mediaURLs": ["/inbox/a"], "deep": {"camelCase": 1.5}}"#

    @Test func `a post is made once for its key`() async throws {
        try await withTestOrigin { origin, client in
            let first = await client.send("POST", "/posts", Self.post, fields: ["Idempotency-Key: k/1 ä"])
            #expect(first.status == 201)
            #expect(first.field("Location") == "/posts/1")
            let again = await client.send("POST", "/posts", Self.post, fields: ["Idempotency-Key: k/1 ä"])
            #expect(again.status == 201)
            #expect(again.body == first.body)
            let other = await client.send("POST", "/posts", "{}", fields: ["Idempotency-Key: k/1 ä"])
            #expect(other.status == 422)
            let posts = origin.received.posts
            #expect(posts.map(\.id) == ["1"])
            #expect(posts.map(\.sends) == [2])
            #expect(posts.map(\.key) == ["k/1 ä"])
            #expect(posts[0].body["deep"]?["camelCase"] == .number(1.5))
            #expect(await client.get("/posts/by-key/k%2F1%20%C3%A4").status == 200)
            #expect(await client.get("/posts/by-key/k").status == 404)
        }
    }

    @Test func `without a key, or where keys are ignored, each request makes a post`() async throws {
        try await withTestOrigin { origin, client in
            for path in ["/posts", "/posts", "/posts?no-keys=1", "/posts?no-keys=1"] {
                let fields = path == "/posts" ? [] : ["Idempotency-Key: k"]
                #expect(await client.send("POST", path, Self.post, fields: fields).status == 201)
            }
            let path = "/publish-faults/no-keys/posts"
            _ = await client.send("POST", path, Self.post, fields: ["Idempotency-Key: k"])
            #expect(origin.received.posts.count == 5)
            let found = await client.get("/posts/by-key/k").json()
            #expect(found["id"] == .text("3"))
        }
    }

    @Test func `posts are listed, shown and deleted`() async throws {
        try await withTestOrigin { origin, client in
            for text in ["1", "2"] { _ = await client.send("POST", "/posts", text) }
            let list = await client.get("/posts").json()
            #expect(list.list?.map { $0["body"] } == [.whole(1), .whole(2)])
            let second = await client.get("/posts/2").json()
            #expect(second["body"] == .whole(2))
            #expect(await client.send("DELETE", "/posts/1").status == 204)
            #expect(await client.send("DELETE", "/posts/1").status == 404)
            #expect(await client.get("/posts/1").status == 404)
            let left = await client.get("/posts").json()
            #expect(left.list?.count == 1)
            #expect(origin.received.posts.map(\.deleted) == [true, false])
        }
    }

    @Test(
        arguments: [
            ("no JSON", nil, 400), ("{", nil, 400), ("", nil, 400), ("{}", 2_000_000, 413), ("{}", -1, 411),
        ] as [(String, Int?, Int)]
    )
    func `what is no post is refused`(body: String, length: Int?, status: Int) async throws {
        try await withTestOrigin { origin, client in
            #expect(await client.send("POST", "/posts", body, length: length).status == status)
            #expect(origin.received.posts.isEmpty)
        }
    }

    @Test func `the document of all that was received says what the value says`() async throws {
        try await withTestOrigin { origin, client in
            _ = await client.send("POST", "/posts", Self.post, fields: ["Idempotency-Key: k"])
            _ = await client.send("PUT", "/inbox/a", "abc")
            let told = await client.get("/received")
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            let received = try decoder.decode(Received.self, from: Data(told.body))
            #expect(received.media == origin.received.media)
            #expect(told.text.contains("\"bytes_received\" : 3"))
            #expect(told.text.contains("\"camelCase\" : 1.5"))
        }
    }
}
