import CalotypeCore
import TaskFlow
import Testing

@testable import CalotypeHTTP

@Suite(.timeLimit(.minutes(1)))
struct StreamingTests {
    /// What a server's connection saw, for a test to await.
    private struct Events: Sendable {
        private let stream: AsyncStream<String>
        private let continuation: AsyncStream<String>.Continuation

        init() {
            (stream, continuation) = AsyncStream.makeStream()
        }

        func record(_ event: String) {
            continuation.yield(event)
        }

        /// Waits for `event`, passing over others.
        func wait(for event: String) async {
            for await seen in stream where seen == event { return }
        }
    }

    private static let endless = "HTTP/1.1 200 OK\r\n\r\n"

    @Test func `a reader that does not read holds the origin back at the high-water mark`() async throws {
        let events = Events()
        let size = 16 << 20
        try await withServer { connection in
            _ = connection.request()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
            connection.flood([UInt8](repeating: 7, count: 64 << 10), total: size) { events.record("stalled") }
        } _: { server in
            try await withCurlTransport { transport in
                try await transport.withResponse(to: HTTPRequest(server.url())) { response in
                    await events.wait(for: "stalled")
                    let mark = TransferStateMachine.highWater
                    #expect(response.body.bufferedBytes <= mark)
                    #expect(response.body.bufferedBytes > mark - TransferStateMachine.joinedChunk)
                    var count = 0
                    for try await chunk in response.body {
                        count += chunk.count
                        #expect(response.body.bufferedBytes <= mark)
                        #expect(chunk.count <= TransferStateMachine.joinedChunk && chunk.first == 7)
                    }
                    #expect(count == size)
                }
            }
        }
    }

    @Test func `small pieces are joined while they wait`() throws {
        var machine = TransferStateMachine()
        for byte in 0..<100_000 {
            let hasRoom = machine.hasRoom(for: 1)
            #expect(hasRoom)
            _ = machine.receive([UInt8(truncatingIfNeeded: byte)])
        }
        var pieces = 0
        while case .chunk = machine.read() { pieces += 1 }
        #expect(pieces == 7)
        #expect(machine.bufferedBytes == 0)
    }

    @Test func `a cancelled read ends the transfer and the origin sees it`() async throws {
        let events = Events()
        try await withServer { connection in
            _ = connection.request()
            connection.send(Self.endless + "first")
            connection.waitForHangUp()
            events.record("gone")
        } _: { server in
            try await withCurlTransport { transport in
                await withThrowingTaskGroup { group in
                    group.addTask {
                        try await transport.withResponse(to: HTTPRequest(server.url())) { response in
                            var body = response.body.makeAsyncIterator()
                            _ = try await body.next()
                            events.record("reading")
                            _ = try await body.next()
                        }
                    }
                    await events.wait(for: "reading")
                    group.cancelAll()
                    await #expect(throws: CancellationError.self) { try await group.next() }
                    #expect(transport.snapshot.transfers == 0)
                    await events.wait(for: "gone")
                }
            }
        }
    }

    @Test func `a request is cancelled while it waits for the head`() async throws {
        let events = Events()
        try await withServer { connection in
            _ = connection.request()
            events.record("asked")
            connection.waitForHangUp()
            events.record("gone")
        } _: { server in
            try await withCurlTransport { transport in
                await withThrowingTaskGroup { group in
                    group.addTask { _ = try await transport.text(server.url()) }
                    await events.wait(for: "asked")
                    group.cancelAll()
                    await #expect(throws: CancellationError.self) { try await group.next() }
                    await events.wait(for: "gone")
                }
            }
        }
    }

    @Test func `what the reader leaves unread is cut off when the closure returns`() async throws {
        let events = Events()
        try await withServer { connection in
            _ = connection.request()
            connection.send(Self.endless + "first")
            connection.waitForHangUp()
            events.record("gone")
        } _: { server in
            try await withCurlTransport { transport in
                let status = try await transport.withResponse(to: HTTPRequest(server.url())) { $0.status }
                #expect(status == 200)
                #expect(transport.snapshot.transfers == 0)
                await events.wait(for: "gone")
            }
        }
    }

    @Test func `the error of the closure comes out, and the exchange is over`() async throws {
        struct Own: Error {}
        try await withServer { connection in
            _ = connection.request()
            connection.send(Self.endless)
            connection.waitForHangUp()
        } _: { server in
            try await withCurlTransport { transport in
                await #expect(throws: Own.self) {
                    try await transport.withResponse(to: HTTPRequest(server.url())) { _ in throw Own() }
                }
                #expect(transport.snapshot.transfers == 0)
            }
        }
    }

    @Test func `shutdown ends current work, and rejects later work`() async throws {
        let events = Events()
        try await withServer { connection in
            _ = connection.request()
            events.record("asked")
            connection.waitForHangUp()
            events.record("gone")
        } _: { server in
            let transport = try CurlTransport()
            async let first = code { try await transport.text(server.url()) }
            await events.wait(for: "asked")
            await transport.shutdown()
            #expect(await first == .pipelineClosed)
            #expect(transport.snapshot == CurlTransport.Snapshot())
            #expect(await code { try await transport.text(server.url()) } == .pipelineClosed)
            await events.wait(for: "gone")
        }
    }

    @Test func `requests cancelled at random moments leave nothing behind`() async throws {
        try await withServer { connection in
            while connection.request() != nil {
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
                guard connection.send([UInt8](repeating: 1, count: 100_000)) else { return }
            }
        } _: { server in
            let transport = try CurlTransport()
            let request = HTTPRequest(try server.url())
            for round in 0..<20 {
                await withTaskGroup { group in
                    for number in 0..<50 {
                        group.addTask {
                            for _ in 0..<(number * round % 17) { await Task.yield() }
                            // Cancelled or whole: either is right, and both are over when the group ends.
                            if let body = try? await transport.body(request) {
                                #expect(body.count == 100_000)
                            }
                        }
                    }
                    for _ in 0..<round { await Task.yield() }
                    group.cancelAll()
                }
                #expect(transport.snapshot.transfers == 0)
            }
            let last = try await transport.body(request)
            #expect(last.count == 100_000)
            await transport.shutdown()
            #expect(transport.snapshot == CurlTransport.Snapshot())
        }
    }
}
