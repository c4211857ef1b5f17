import CalotypeCore
import CalotypeHTTP
import CalotypeTestKit
import Testing

@testable import CalotypePublish

@Suite(.timeLimit(.minutes(1))) struct TusAnswerTests {
    @Test(arguments: [
        "/files/1", "1", "https://media.test/files/1", "https://MEDIA.test:443/files/1",
        "//media.test/files/1",
        "https://you:other@media.test/files/1",
    ])
    func `an upload may be anywhere at the endpoint's origin`(location: String) async throws {
        try await withScratchFolder { folder in
            let server = try ScriptedTus(location: location)
            let uploaded = try await server.attempt(try sampleMedium(100, in: folder))
            #expect(uploaded.id == "https://media.test/files/1")
            #expect(server.transport.requests.allSatisfy { $0.sentFields["Authorization"] == nil })
        }
    }

    @Test(arguments: [
        "https://other.test/files/1", "http://media.test/files/1", "https://media.test:8443/files/1",
        "//other.test/files/1", "http://169.254.169.254/latest", "ftp://media.test/files/1",
        "file:///etc/passwd",
        "https://media.test@other.test/files/1", "",
    ])
    func `an upload elsewhere is refused, and nothing is sent there`(location: String) async throws {
        try await withScratchFolder { folder in
            let server = try ScriptedTus(location: location)
            let failure = try await server.failure(try sampleMedium(100, in: folder))
            #expect(failure?.remedy == PublishError.Remedy.none)
            #expect(server.course == ["POST /files/"])
            #expect(server.log.states.count == 0)
        }
    }

    @Test func `a redirect of the creation takes no credentials along, and no bytes follow`()
        async throws
    {
        try await withScratchFolder { folder in
            let server = try ScriptedTus("http://me:secret@media.test/files/")
            server.next(.post, 308, headers: ["Location": "https://media.test/files/"])
            let failure = try await server.failure(try sampleMedium(100, in: folder))
            #expect(failure?.remedy == PublishError.Remedy.none)
            #expect(failure?.error.message.contains("https://media.test:443") == true)
            let requests = server.transport.requests
            #expect(requests.map(\.url.scheme) == [.http, .https])
            #expect(requests.last?.sentFields["Authorization"] == nil)
        }
    }

    @Test func `a creation without a place is no tus server's`() async throws {
        try await withScratchFolder { folder in
            let server = try ScriptedTus()
            server.next(.post, 200)
            let failure = try await server.failure(try sampleMedium(100, in: folder))
            #expect(failure?.remedy == PublishError.Remedy.none)
            #expect(failure?.error.code == .protocolError)
        }
    }

    @Test(arguments: [
        (401, PublishError.Remedy.none), (404, .none), (405, .none), (412, .none), (413, .none),
        (423, .busy),
        (429, .wait(.seconds(7))), (500, .retry), (503, .wait(.seconds(7))), (507, .retry),
    ])
    func `what the protocol gives no meaning has HTTP's`(
        status: Int,
        remedy: PublishError.Remedy
    )
        async throws
    {
        try await withScratchFolder { folder in
            for method in [HTTPMethod.post, .patch] where method == .post || status != 404 {
                let server = try ScriptedTus()
                server.next(method, status, headers: ["Retry-After": "7"])
                let failure = try await server.failure(try sampleMedium(100, in: folder))
                #expect(failure?.remedy == remedy)
                #expect(failure?.error.code == (status == 401 ? .unauthorized : .http(status: status)))
            }
        }
    }

    @Test(arguments: [
        ("application/json", #"{"detail": "too\nlarge"}"#, "too large"),
        ("application/problem+json", #"{"message": "no room"}"#, "no room"),
        ("text/plain; charset=utf-8", "quota\r\nexceeded", "quota exceeded"),
    ])
    func `the server's message is shown on one line`(type: String, body: String, words: String) async throws {
        try await withScratchFolder { folder in
            let server = try ScriptedTus()
            server.next(.post) { _, _, _ in
                ScriptedResponse(
                    status: 413,
                    headers: ["Content-Type": type],
                    body: [.bytes(Array(body.utf8))]
                )
            }
            let failure = try await server.failure(try sampleMedium(100, in: folder))
            #expect(failure?.error.message.hasSuffix("the server returned 413: \(words)") == true)
        }
    }

    @Test func `limits are those that the server reports`() async throws {
        let server = try ScriptedTus()
        let limits = try await server.destination().limits(PublishClient(HTTPClient(server.transport)))
        #expect(limits.fileBytes == ByteCount(5000))
        #expect(limits.imageBytes == ByteCount(5000))
        #expect(limits.count == nil)
        #expect(server.transport.requests[0].headers["Tus-Resumable"] == nil)
    }

    @Test(arguments: [200, 204, 400, 404, 405, 412, 501])
    func `a server that reports nothing limits nothing`(status: Int) async throws {
        let server = try ScriptedTus()
        server.next(.options, status)
        let limits = try await server.destination().limits(PublishClient(HTTPClient(server.transport)))
        #expect(limits == MediaLimits())
    }

    @Test(arguments: [
        (401, PublishError.Remedy.none), (403, .none), (429, .wait(nil)), (502, .retry),
    ])
    func `a missing permission is reported before anything is sent`(
        status: Int,
        remedy: PublishError.Remedy
    )
        async throws
    {
        let server = try ScriptedTus()
        server.next(.options, status)
        let failure = await #expect(throws: PublishError.self) {
            try await server.destination().limits(PublishClient(HTTPClient(server.transport)))
        }
        #expect(failure?.remedy == remedy)
    }

    @Test func `a server of another version is refused`() async throws {
        let server = try ScriptedTus()
        server.next(.options, 204, headers: ["Tus-Version": "0.2.2, 2.0.0"])
        let failure = await #expect(throws: PublishError.self) {
            try await server.destination().limits(PublishClient(HTTPClient(server.transport)))
        }
        #expect(failure?.remedy == PublishError.Remedy.none)
    }
}
