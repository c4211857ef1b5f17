import CalotypeCore
import CalotypeTestKit
import TaskFlow
import Testing

@testable import CalotypeHTTP

/// What redirects make of requests that carry something.
@Suite(.timeLimit(.minutes(1)))
struct RedirectedBodyTests {
    private static let start = "http://a.test/1"
    private static let bytes = SampleFile.bytes(300_000)

    private func upload(_ method: HTTPMethod, _ body: HTTPBody) throws -> HTTPRequest {
        var request = HTTPRequest(try WebURL(Self.start), method: method, body: body)
        try request.addHeader("Content-Type", "image/jpeg")
        try request.addHeader("Authorization", "Bearer 1")
        try request.addHeader("X-Plain", "kept")
        return request
    }

    private func transport(_ status: Int, to target: String = "/2") throws -> ScriptedTransport {
        let transport = ScriptedTransport(otherwise: .status(201), keptBodyBytes: .mebibytes(1))
        try transport.answer(Self.start, with: .redirect(to: target, status: status))
        return transport
    }

    @Test(arguments: [307, 308], [HTTPMethod.post, .put, .patch])
    func `307 and 308 repeat the request with its body`(status: Int, method: HTTPMethod) async throws {
        try await SampleFile.with(Self.bytes) { file in
            for body in [HTTPBody(Self.bytes), try file.body(Self.bytes.count)] {
                let transport = try transport(status)
                let progress = SendProgress()
                var request = try upload(method, body)
                request.progress = progress
                let answer = try await HTTPClient(transport).withResponse(to: request) { $0.status }
                #expect(answer == 201)
                #expect(transport.requests.map(\.method) == [method, method])
                #expect(transport.requests.map(\.url.text) == [Self.start, "http://a.test/2"])
                #expect(transport.receivedBodies == [Self.bytes, Self.bytes])
                #expect(transport.requests[1].headers["Authorization"] == "Bearer 1")
                #expect(transport.requests[1].headers["Content-Type"] == "image/jpeg")
                #expect(progress.sent == ByteCount(Self.bytes.count))
            }
        }
    }

    @Test func `303 leads to a GET without the body and what describes it`() async throws {
        let transport = try transport(303)
        let request = try upload(.post, HTTPBody(Self.bytes))
        _ = try await HTTPClient(transport).withResponse(to: request) { $0.status }
        let last = try #require(transport.requests.last)
        #expect(last.method == .get)
        #expect(last.body == .none)
        #expect(last.headers["Content-Type"] == nil)
        #expect(last.headers["X-Plain"] == "kept")
    }

    @Test func `303 may lead back to where the body was sent`() async throws {
        let transport = try transport(303, to: "/1")
        try transport.answer(Self.start, with: .redirect(to: "/1", status: 303), .status(200))
        let request = try upload(.post, HTTPBody(Self.bytes))
        let status = try await HTTPClient(transport).withResponse(to: request) { $0.status }
        #expect(status == 200)
        #expect(transport.requests.map(\.method) == [.post, .get])
    }

    @Test(arguments: [301, 302], [HTTPMethod.post, .put, .patch, .delete])
    func `301 and 302 do not say what is to become of a change`(status: Int, method: HTTPMethod) async throws
    {
        let transport = try transport(status)
        let request = try upload(method, method == .delete ? .none : HTTPBody(Self.bytes))
        let failure = await code { try await HTTPClient(transport).withResponse(to: request) { $0.status } }
        #expect(failure == .http(status: status))
        #expect(transport.requests.count == 1)
    }

    @Test(arguments: [301, 302, 303, 307, 308], [HTTPMethod.head, .options])
    func `what changes nothing is repeated`(status: Int, method: HTTPMethod) async throws {
        let transport = try transport(status)
        let request = try upload(method, .none)
        _ = try await HTTPClient(transport).withResponse(to: request) { $0.status }
        let expected = status == 303 && method == .options ? HTTPMethod.get : method
        #expect(transport.requests.map(\.method) == [method, expected])
    }

    @Test func `secrets do not go along to another origin`() async throws {
        let transport = try transport(307, to: "http://b.test/2")
        let request = try upload(.post, HTTPBody(Self.bytes))
        _ = try await HTTPClient(transport).withResponse(to: request) { $0.status }
        #expect(transport.requests.last?.headers["Authorization"] == nil)
        #expect(transport.receivedBodies.last == Self.bytes)
    }

    @Test func `a redirect that comes before the body saves it`() async throws {
        try await withServer { connection in
            while let head = connection.request() {
                guard head.hasPrefix("PUT /target") else {
                    connection.answer("307 Temporary Redirect", ["Location: /target"])
                    return connection.waitForHangUp()
                }
                #expect(connection.receive(Self.bytes.count) == Self.bytes)
                connection.answer("201 Created")
            }
        } _: { server in
            try await SampleFile.with(Self.bytes) { file in
                try await withCurlTransport { transport in
                    var request = try HTTPRequest(
                        server.url(),
                        method: .put,
                        body: file.body(Self.bytes.count)
                    )
                    request.expectsContinue = true
                    let status = try await HTTPClient(transport).withResponse(to: request) { $0.status }
                    #expect(status == 201)
                    #expect(server.accepted == 2)
                }
            }
        }
    }
}
