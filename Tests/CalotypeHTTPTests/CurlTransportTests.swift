import CalotypeCore
import TaskFlow
import Testing

@testable import CalotypeHTTP

@Suite(.timeLimit(.minutes(1)))
struct CurlTransportTests {
    @Test func `a response has status, fields, version and body`() async throws {
        try await withServer { connection in
            while connection.request() != nil { connection.answer("200 OK", ["X-One: a", "x-one: b"]) }
        } _: { server in
            try await withCurlTransport { transport in
                try await transport.withResponse(to: HTTPRequest(server.url())) { response in
                    #expect(response.status == 200)
                    #expect(response.version == .http1_1)
                    #expect(response.headers.values(of: "X-ONE") == ["a", "b"])
                    #expect(response.contentLength == ByteCount(5))
                    let body = try await response.body.collect()
                    #expect(body == Array("hello".utf8))
                }
            }
        }
    }

    @Test func `connections are kept and reused`() async throws {
        try await withServer { connection in
            while connection.request() != nil { connection.answer() }
        } _: { server in
            try await withCurlTransport { transport in
                for _ in 0..<20 {
                    let text = try await transport.text(server.url())
                    #expect(text == "hello")
                }
                #expect(transport.snapshot.openConnections == 1)
            }
            #expect(server.accepted == 1)
        }
    }
}
