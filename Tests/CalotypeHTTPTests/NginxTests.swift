import CalotypeCore
import CalotypePlatform
import CalotypeTestKit
import TaskFlow
import Testing

@testable import CalotypeHTTP

/// Against a real server: many requests, reuse of connections, TLS and HTTP/2.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct NginxTests {
    @Test func `many requests share the connections that the client admits, and nothing is left`()
        async throws
    {
        try await NginxServer.run(bytes: 30_000) { nginx in
            try await withCurlTransport { transport in
                var limits = HTTPClient.Limits()
                limits.connectionsPerHost = 16
                let client = HTTPClient(transport, limits: limits)
                let request = HTTPRequest(try nginx.url())
                try await withThrowingTaskGroup { group in
                    for _ in 0..<500 {
                        group.addTask {
                            try await client.withResponse(to: request) { try await $0.body.collect().count }
                        }
                    }
                    for try await count in group { #expect(count == 30_000) }
                }
                #expect((1...16).contains(transport.snapshot.openConnections))
                await transport.shutdown()
                #expect(transport.snapshot == CurlTransport.Snapshot())
            }
        }
    }

    @Test(arguments: ["http", "https"])
    func `files are stored, read back and removed`(scheme: String) async throws {
        let bytes = SampleFile.bytes(5_000_000)
        try await NginxServer.run(bytes: 10) { nginx in
            var configuration = CurlConfiguration()
            configuration.certificateFile = nginx.authority
            try await withCurlTransport(configuration) { transport in
                try await SampleFile.with(bytes) { file in
                    try await withThrowingTaskGroup { group in
                        for number in 0..<8 {
                            let url = try nginx.url("/stored/\(number)", scheme: scheme)
                            let sent = Array(bytes[..<(bytes.count - number)])
                            let body = number % 2 == 0 ? try file.body(sent.count) : HTTPBody(sent)
                            group.addTask {
                                let put = HTTPRequest(url, method: .put, body: body)
                                let created = try await transport.withResponse(to: put) { $0.status }
                                #expect(created == 201)
                                let stored = try await transport.body(HTTPRequest(url))
                                #expect(stored == sent)
                                let delete = HTTPRequest(url, method: .delete)
                                let deleted = try await transport.withResponse(to: delete) { $0.status }
                                #expect(deleted == 204)
                            }
                        }
                        try await group.waitForAll()
                    }
                    #expect(transport.snapshot.openConnections <= (scheme == "https" ? 1 : 8))
                }
            }
        }
    }

    @Test(arguments: ["http", "https"])
    func `a file that the server rejects as too large ends the sending`(scheme: String) async throws {
        try await NginxServer.run(bytes: 10) { nginx in
            var configuration = CurlConfiguration()
            configuration.certificateFile = nginx.authority
            try await withCurlTransport(configuration) { transport in
                try await SampleFile.withSparse(1 << 30) { file in
                    for expects in [false, true] {
                        let progress = SendProgress()
                        var request = try HTTPRequest(
                            nginx.url("/large", scheme: scheme),
                            method: .put,
                            body: file.body(1 << 30)
                        )
                        request.expectsContinue = expects
                        request.progress = progress
                        let status = try await transport.withResponse(to: request) { response in
                            _ = try await response.body.collect()
                            return response.status
                        }
                        #expect(status == 413)
                        #expect(progress.sent < ByteCount(expects && scheme == "http" ? 1 : 64 << 20))
                    }
                    let small = try await transport.body(HTTPRequest(nginx.url(scheme: scheme)))
                    #expect(small.count == 10)
                }
            }
        }
    }

    @Test(arguments: ["http", "https"])
    func `uploads cancelled at random moments leave nothing behind`(scheme: String) async throws {
        let bytes = SampleFile.bytes(3_000_000)
        try await NginxServer.run(bytes: 10) { nginx in
            var configuration = CurlConfiguration()
            configuration.certificateFile = nginx.authority
            try await SampleFile.with(bytes) { file in
                let check = await QuietCheck.begin()
                try await withCurlTransport(configuration) { transport in
                    let request = try HTTPRequest(
                        nginx.url("/cut", scheme: scheme),
                        method: .put,
                        body: file.body(bytes.count)
                    )
                    for round in 0..<15 {
                        await withTaskGroup { group in
                            for number in 0..<6 {
                                group.addTask {
                                    for _ in 0..<(number * round * 11 % 401) { await Task.yield() }
                                    _ = try? await transport.withResponse(to: request) { $0.status }
                                }
                            }
                            for _ in 0..<(round * 40) { await Task.yield() }
                            group.cancelAll()
                        }
                        #expect(transport.snapshot.transfers == 0)
                    }
                    let last = try await transport.withResponse(to: request) { $0.status }
                    #expect([201, 204].contains(last))
                }
                try await check.expectQuiet()
            }
        }
    }

    @Test func `requests share one HTTP/2 connection`() async throws {
        try await NginxServer.run(bytes: 30_000) { nginx in
            var configuration = CurlConfiguration()
            configuration.certificateFile = nginx.authority
            try await withCurlTransport(configuration) { transport in
                let request = HTTPRequest(try nginx.url(scheme: "https"))
                try await withThrowingTaskGroup { group in
                    for _ in 0..<50 {
                        group.addTask {
                            try await transport.withResponse(to: request) { response in
                                #expect(response.version == .http2)
                                return try await response.body.collect().count
                            }
                        }
                    }
                    for try await count in group { #expect(count == 30_000) }
                }
                #expect(transport.snapshot.openConnections == 1)
            }
        }
    }

    @Test func `a certificate that is not trusted, has expired or is another's is tls_failed`()
        async throws
    {
        ScriptedNames.set("good.scripted.test", "127.0.0.1")
        ScriptedNames.set("wrong.scripted.test", "127.0.0.1")
        try await NginxServer.run(bytes: 10) { nginx in
            var trusting = CurlConfiguration()
            trusting.certificateFile = nginx.authority
            let good = try nginx.url(scheme: "https", host: "good.scripted.test")
            let wrong = try nginx.url(scheme: "https", host: "wrong.scripted.test")
            let expired = try WebURL("https://good.scripted.test:\(nginx.expiredPort)/f")
            try await withCurlTransport { transport in
                #expect(await code { try await transport.text(good) } == .tlsFailed)
            }
            try await withCurlTransport(trusting) { transport in
                let body = try await transport.body(HTTPRequest(good))
                #expect(body.count == 10)
                for url in [wrong, expired] {
                    #expect(await code { try await transport.text(url) } == .tlsFailed)
                }
            }
        }
    }

    @Test func `a connection cut during the TLS handshake is a reset`() async throws {
        try await withServer { connection in
            _ = connection.linger(milliseconds: 1000)
            connection.reset()
        } _: { server in
            try await withCurlTransport { transport in
                let url = try WebURL("https://127.0.0.1:\(server.port)/")
                #expect(await code { try await transport.text(url) } == .connectionReset)
            }
        }
    }

    @Test func `every body is cut at a random place and none is taken for whole`() async throws {
        let body = [UInt8](repeating: 9, count: 50_000)
        try await withServer { connection in
            guard connection.request() != nil else { return }
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n")
            connection.send(Array(body.prefix(connection.number * 1250)))
        } _: { server in
            try await withCurlTransport { transport in
                for _ in 0..<40 {
                    let url = try server.url()
                    #expect(await code { try await transport.text(url) } == .truncatedBody)
                }
            }
        }
    }
}
