import CalotypeCore
import CalotypeTestKit
import TaskFlow
import Testing

@testable import CalotypeHTTP

/// What origins do to a request before it has been sent.
@Suite(.timeLimit(.minutes(1)))
struct SendingFaultTests {
    private static let size = 20 << 20

    @Test(arguments: [10, 50, 99], [false, true])
    func `a connection cut at any place of the body is a reset`(percent: Int, isReset: Bool) async throws {
        let cut = Self.size / 100 * percent
        try await withServer { connection in
            guard connection.request() != nil else { return }
            _ = connection.drain(cut)
            if isReset { connection.reset() }
        } _: { server in
            try await SampleFile.withSparse(Self.size) { file in
                try await withCurlTransport { transport in
                    let progress = SendProgress()
                    var request = try HTTPRequest(server.url(), method: .post, body: file.body(Self.size))
                    request.progress = progress
                    #expect(await code { try await transport.body(request) } == .connectionReset)
                    #expect(progress.sent >= ByteCount(cut - (4 << 20)))
                    #expect(server.accepted == 1)
                    #expect(transport.snapshot.openConnections == 0)
                }
            }
        }
    }

    @Test func `a rejection before the body has arrived is the response, and ends the sending`()
        async throws
    {
        let received = Recorder<Int>()
        try await withServer { connection in
            guard connection.request() != nil else { return }
            connection.answer("413 Content Too Large", body: "too large")
            received.record(connection.drain(1 << 30))
        } _: { server in
            try await SampleFile.withSparse(1 << 30) { file in
                try await withCurlTransport { transport in
                    for count in 1...5 {
                        let request = try HTTPRequest(server.url(), method: .put, body: file.body(1 << 30))
                        try await transport.withResponse(to: request) { response in
                            #expect(response.status == 413)
                            let text = try await response.body.collect()
                            #expect(text == Array("too large".utf8))
                        }
                        #expect(server.accepted == count)
                        #expect(transport.snapshot.openConnections == 0)
                    }
                }
            }
        }
        #expect(received.values.count == 5)
        #expect(received.values.allSatisfy { $0 < 64 << 20 })
    }

    @Test func `an early response is seen even if the origin then resets the connection`() async throws {
        let rounds = 50
        try await withServer { connection in
            guard connection.request() != nil else { return }
            connection.answer("413 Content Too Large", ["Connection: close"])
        } _: { server in
            try await SampleFile.withSparse(Self.size) { file in
                try await withCurlTransport { transport in
                    var refused = 0
                    for _ in 0..<rounds {
                        let request = try HTTPRequest(server.url(), method: .put, body: file.body(Self.size))
                        do {
                            refused += try await transport.withResponse(to: request) {
                                $0.status == 413 ? 1 : 0
                            }
                        } catch let error as CalotypeError {
                            #expect(error.code == .connectionReset)
                        }
                    }
                    // libcurl does not look for an answer once a write has failed; nearly always it has read it before.
                    #expect(refused >= rounds * 8 / 10, "\(refused) of \(rounds)")
                }
            }
        }
    }

    @Test func `an early success does not end the sending, and the connection is not used again`()
        async throws
    {
        let received = Recorder<Int>()
        try await withServer { connection in
            guard connection.request() != nil else { return }
            connection.answer(body: "welcome")
            received.record(connection.drain(Self.size))
            connection.waitForHangUp()
        } _: { server in
            try await SampleFile.withSparse(Self.size) { file in
                try await withCurlTransport { transport in
                    let request = try HTTPRequest(server.url(), method: .put, body: file.body(Self.size))
                    let answer = try await transport.body(request)
                    #expect(answer == Array("welcome".utf8))
                    #expect(transport.snapshot.openConnections == 0)
                }
            }
            // The end of the server would cut what is still on its way.
            #expect(try await received.wait(count: 1) == [Self.size])
        }
    }

    @Test func `a file that becomes shorter while it is sent ends the request and the connection`()
        async throws
    {
        let isSending = Event()
        let isCut = Event()
        let received = Recorder<Int>()
        try await withServer { connection in
            guard connection.request() != nil else { return }
            let start = connection.drain(1 << 20)
            isSending.signal()
            while !isCut.hasHappened { connection.idle(milliseconds: 5) }
            received.record(start + connection.drain(Self.size))
        } _: { server in
            try await SampleFile.withSparse(Self.size) { file in
                try await withCurlTransport { transport in
                    async let error = code {
                        try await transport.body(
                            HTTPRequest(server.url(), method: .put, body: file.body(Self.size))
                        )
                    }
                    try await isSending.wait()
                    try file.resize(1 << 20)
                    isCut.signal()
                    #expect(await error == .sourceChanged)
                    #expect(transport.snapshot.openConnections == 0)
                }
            }
        }
        #expect(received.values.count == 1)
        #expect(received.values.allSatisfy { $0 < Self.size })
    }

    // MARK: Expect

    /// Sends a `PUT` that asks first to a server that plays `script` after the head, and another one after it.
    private func asking(
        _ script: @escaping @Sendable (ScriptedConnection) -> Void,
        _ check: (HTTPResponse) async throws -> Void
    ) async throws -> (heads: [String], connections: Int, sent: ByteCount) {
        let heads = Recorder<String>()
        let progress = SendProgress()
        var connections = 0
        try await withServer { connection in
            while let head = connection.request() {
                heads.record(head)
                script(connection)
            }
        } _: { server in
            try await withCurlTransport { transport in
                var request = HTTPRequest(
                    try server.url(),
                    method: .put,
                    body: HTTPBody(SampleFile.bytes(500_000))
                )
                request.expectsContinue = true
                request.progress = progress
                try await transport.withResponse(to: request, check)
                request.progress = nil
                try await transport.withResponse(to: request, check)
                connections = server.accepted
            }
        }
        return (heads.values, connections, progress.sent)
    }

    @Test func `the body follows when the origin says 100`() async throws {
        let (heads, connections, sent) = try await asking { connection in
            connection.send("HTTP/1.1 100 Continue\r\n\r\n")
            #expect(connection.receive(500_000) == SampleFile.bytes(500_000))
            connection.answer("201 Created")
        } _: { response in
            #expect(response.status == 201)
        }
        #expect(heads.map { ScriptedConnection.field("expect", of: $0) } == ["100-continue", "100-continue"])
        #expect(connections == 1)
        #expect(sent == ByteCount(500_000))
    }

    @Test(arguments: ["413 Content Too Large", "417 Expectation Failed", "307 Temporary Redirect", "200 OK"])
    func `a final response in place of 100 is the response, and no body is sent`(status: String) async throws
    {
        let (heads, connections, sent) = try await asking { connection in
            connection.answer(status)
            connection.waitForHangUp()
        } _: { response in
            #expect("\(response.status)" == status.prefix(3))
            let body = try await response.body.collect()
            #expect(body == (response.status == 417 ? [] : Array("hello".utf8)))
        }
        #expect(heads.count == 2)
        #expect(connections == 2)
        #expect(sent == ByteCount(0))
    }

    @Test func `an origin that does not respond to the expectation gets the body after a while`() async throws
    {
        let (heads, _, sent) = try await asking { connection in
            #expect(connection.receive(500_000).count == 500_000)
            connection.answer()
        } _: { response in
            #expect(response.status == 200)
        }
        #expect(heads.count == 2)
        #expect(sent == ByteCount(500_000))
    }
}
