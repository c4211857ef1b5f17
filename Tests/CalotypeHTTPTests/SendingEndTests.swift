import CalotypeCore
import CalotypeTestKit
import TaskFlow
import Testing

@testable import CalotypeHTTP

/// Origins that end their side of the connection in order while the request is still being sent.
@Suite(.timeLimit(.minutes(1)))
struct SendingEndTests {
    private static let size = 64 << 20

    /// How an exchange ends whose origin does `script` once it has read the head.
    private func end(
        _ script: @escaping @Sendable (ScriptedConnection) -> Void
    ) async throws -> ErrorCode? {
        var error: ErrorCode?
        try await withServer { connection in
            guard connection.request() != nil else { return }
            script(connection)
        } _: { server in
            try await SampleFile.withSparse(Self.size) { file in
                try await withCurlTransport { transport in
                    let request = try HTTPRequest(server.url(), method: .put, body: file.body(Self.size))
                    error = await code { try await transport.body(request) }
                    #expect(server.accepted == 1)
                    #expect(transport.snapshot.openConnections == 0)
                }
            }
        }
        return error
    }

    @Test func `an origin that ends after it has stopped accepting data is noticed immediately`() async throws
    {
        let error = try await end { connection in
            connection.waitUntilFull()
        }
        #expect(error == .connectionReset)
    }

    @Test func `an origin that ends on a connection that was used before is noticed immediately`()
        async throws
    {
        try await withServer { connection in
            guard connection.request() != nil else { return }
            connection.answer()
            guard connection.request() != nil else { return }
            connection.waitUntilFull()
        } _: { server in
            try await SampleFile.withSparse(Self.size) { file in
                try await withCurlTransport { transport in
                    _ = try await transport.text(server.url())
                    let request = try HTTPRequest(server.url(), method: .put, body: file.body(Self.size))
                    #expect(await code { try await transport.body(request) } == .connectionReset)
                    #expect(server.accepted == 1)
                }
            }
        }
    }

    @Test func `a response that ends after its origin stopped reading is a cut body`()
        async throws
    {
        let error = try await end { connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nfirst")
            connection.waitUntilFull()
        }
        #expect(error == .truncatedBody)
    }

    @Test func `an origin that ends while the client waits for 100-continue is noticed immediately`()
        async throws
    {
        try await withServer { connection in
            _ = connection.request()
        } _: { server in
            try await withCurlTransport { transport in
                var request = try HTTPRequest(server.url(), method: .put, body: HTTPBody([1, 2, 3]))
                request.expectsContinue = true
                #expect(await code { try await transport.body(request) } == .connectionReset)
            }
        }
    }

    @Test(arguments: [0, 1 << 20])
    func `an origin that ends while the next block is read from the disk is noticed immediately`(
        lengthThatCanBeRead: Int
    ) async throws {
        try await withServer { connection in
            _ = connection.request()
            _ = connection.drain(lengthThatCanBeRead)
        } _: { server in
            try await SampleFile.withSparse(Self.size) { file in
                let loop = try CurlLoop(CurlConfiguration())
                let disk = ThreadExecutor(name: "disk", threads: 1)
                try disk.start()
                let request = try HTTPRequest(server.url(), method: .put, body: file.body(Self.size))
                let transfer = Transfer(request, resolution: nil, dns: .zero, loop: loop)
                transfer.start()
                // The rest of the body never comes, as from a disk that does not answer.
                try await transfer.feed(BodyReader(file.body(lengthThatCanBeRead)), on: disk)
                #expect(await code { try await transfer.head() } == .connectionReset)
                await loop.stop()
                await disk.shutdown()
            }
        }
    }

    @Test func `an origin that has responded and ended its side gets the rest of the body`() async throws {
        let received = Recorder<Int>()
        try await withServer { connection in
            guard connection.request() != nil else { return }
            connection.answer(body: "welcome")
            connection.waitUntilFull()
            connection.endSending()
            received.record(connection.drain(Self.size))
        } _: { server in
            try await SampleFile.withSparse(Self.size) { file in
                try await withCurlTransport { transport in
                    let request = try HTTPRequest(server.url(), method: .put, body: file.body(Self.size))
                    let answer = try await transport.body(request)
                    #expect(answer == Array("welcome".utf8))
                }
            }
            // The end of the server would cut what is still on its way.
            #expect(try await received.wait(count: 1) == [Self.size])
        }
    }
}
