import CalotypeCore
import CalotypeTestKit
import Foundation
import TaskFlow
import Testing

@testable import CalotypeHTTP

/// The pace of sending: who holds whom back, how long, and how it ends.
@Suite(.timeLimit(.minutes(1)))
struct SendingFlowTests {
    private static let size = 64 << 20

    @Test func `an origin that does not read holds the file back`() async throws {
        let hasStalled = Event()
        let mayGoOn = Event()
        let received = Recorder<Int>()
        try await withServer { connection in
            guard connection.request() != nil else { return }
            connection.idle(milliseconds: 300)
            hasStalled.signal()
            while !mayGoOn.hasHappened { connection.idle(milliseconds: 5) }
            received.record(connection.drain(Self.size))
            connection.answer()
        } _: { server in
            try await SampleFile.withSparse(Self.size) { file in
                try await withCurlTransport { transport in
                    let progress = SendProgress()
                    var request = try HTTPRequest(server.url(), method: .put, body: file.body(Self.size))
                    request.progress = progress
                    async let answer = transport.body(request)
                    try await hasStalled.wait()
                    // What the two sockets hold; the rest is still in the file.
                    #expect(progress.sent < ByteCount(Self.size / 2))
                    mayGoOn.signal()
                    let body = try await answer
                    #expect(body == Array("hello".utf8))
                    #expect(progress.sent == ByteCount(Self.size))
                }
            }
        }
        #expect(received.values == [Self.size])
    }

    @Test func `the memory does not grow with the file`() async throws {
        let size = 512 << 20
        try await withServer { connection in
            guard connection.request() != nil else { return }
            #expect(connection.drain(size) == size)
            connection.answer()
        } _: { server in
            try await SampleFile.withSparse(size) { file in
                try await withCurlTransport { transport in
                    let most = Guarded(0)
                    let before = Self.residentBytes
                    var request = try HTTPRequest(server.url(), method: .put, body: file.body(size))
                    request.progress = SendProgress { sent in
                        guard sent.bytes % (16 << 20) < 128 << 10 else { return }
                        let now = Self.residentBytes
                        most.withLock { $0 = max($0, now) }
                    }
                    _ = try await transport.body(request)
                    let growth = most.withLock { $0 } - before
                    // The sanitizers keep what was given back for a while.
                    #expect(growth < 64 << 20, "grew by \(growth)")
                }
            }
        }
    }

    @Test func `progress only grows, and ends at the length`() async throws {
        let counts = Recorder<ByteCount>()
        try await withServer { connection in
            guard connection.wholeRequest() != nil else { return }
            connection.answer()
        } _: { server in
            try await SampleFile.withSparse(10_000_001) { file in
                try await withCurlTransport { transport in
                    var request = try HTTPRequest(server.url(), method: .put, body: file.body(10_000_001))
                    request.progress = SendProgress { counts.record($0) }
                    let timings = try await transport.withResponse(to: request) { $0.timings }
                    #expect(timings.sending > .zero)
                }
            }
        }
        #expect(counts.values.last == ByteCount(10_000_001))
        #expect(zip(counts.values, counts.values.dropFirst()).allSatisfy { $0 < $1 })
    }

    // MARK: Timeouts

    @Test(arguments: [ErrorCode.timeoutIdle, .timeoutTotal])
    func `an origin that takes nothing more is not waited for`(expected: ErrorCode) async throws {
        try await withServer { connection in
            _ = connection.request()
            _ = connection.drain(1 << 20)
            connection.idle(milliseconds: 1000)
        } _: { server in
            try await SampleFile.withSparse(Self.size) { file in
                try await withCurlTransport { transport in
                    var request = try HTTPRequest(server.url(), method: .put, body: file.body(Self.size))
                    if expected == .timeoutIdle {
                        request.timeouts.idle = .milliseconds(200)
                    } else {
                        request.timeouts.total = .milliseconds(200)
                    }
                    #expect(await code { try await transport.body(request) } == expected)
                    #expect(transport.snapshot.openConnections == 0)
                }
            }
        }
    }

    @Test func `an origin that takes its time is waited for as long as it takes something`() async throws {
        try await withServer { connection in
            _ = connection.request()
            var received = 0
            while received < Self.size {
                connection.idle(milliseconds: 20)
                let part = connection.drain(min(1 << 20, Self.size - received))
                guard part > 0 else { return }
                received += part
            }
            connection.answer()
        } _: { server in
            try await SampleFile.withSparse(Self.size) { file in
                try await withCurlTransport { transport in
                    var request = try HTTPRequest(server.url(), method: .put, body: file.body(Self.size))
                    request.timeouts.idle = .milliseconds(500)
                    request.timeouts.headers = .milliseconds(800)
                    request.timeouts.minimumRate = .mebibytes(1000)
                    let body = try await transport.body(request)
                    #expect(body == Array("hello".utf8))
                }
            }
        }
    }

    @Test func `the wait for the response begins when the body has been sent`() async throws {
        try await withServer { connection in
            _ = connection.wholeRequest()
            connection.waitForHangUp()
        } _: { server in
            try await withCurlTransport { transport in
                var request = HTTPRequest(try server.url(), method: .post, body: HTTPBody([1, 2, 3]))
                request.timeouts.headers = .milliseconds(100)
                #expect(await code { try await transport.body(request) } == .timeoutHeaders)
            }
        }
    }

    // MARK: Cancellation

    enum Moment: CaseIterable { case stalled, sending, awaitingAnswer, readingAnswer }

    @Test(arguments: Moment.allCases)
    func `a cancelled request closes its connection`(at moment: Moment) async throws {
        let size = moment == .awaitingAnswer || moment == .readingAnswer ? 1 << 20 : Self.size
        let isThere = Event()
        let gone = Event()
        let check = await QuietCheck.begin()
        try await withServer { connection in
            _ = connection.request()
            switch moment {
            case .stalled: connection.idle(milliseconds: 200)
            case .sending: _ = connection.drain(1 << 20)
            case .awaitingAnswer, .readingAnswer: _ = connection.drain(size)
            }
            if moment == .readingAnswer {
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nfirst")
            }
            isThere.signal()
            connection.waitForHangUp()
            gone.signal()
        } _: { server in
            try await SampleFile.withSparse(size) { file in
                try await withCurlTransport { transport in
                    let request = try HTTPRequest(server.url(), method: .put, body: file.body(size))
                    await withThrowingTaskGroup { group in
                        group.addTask { _ = try await transport.body(request) }
                        try? await isThere.wait()
                        group.cancelAll()
                        await #expect(throws: CancellationError.self) { try await group.next() }
                    }
                    #expect(transport.snapshot.transfers == 0)
                    #expect(transport.snapshot.openConnections == 0)
                    try await gone.wait()
                }
            }
        }
        try await check.expectQuiet()
    }

    @Test func `requests with files that are cancelled at random moments leave nothing behind`() async throws
    {
        let bytes = SampleFile.bytes(700_000)
        let check = await QuietCheck.begin()
        try await withServer { connection in
            while let (_, body) = connection.wholeRequest() {
                #expect(body == bytes)
                connection.answer()
            }
        } _: { server in
            try await SampleFile.with(bytes) { file in
                let transport = try CurlTransport()
                let request = try HTTPRequest(server.url(), method: .put, body: file.body(bytes.count))
                for round in 0..<20 {
                    await withTaskGroup { group in
                        for number in 0..<10 {
                            group.addTask {
                                for _ in 0..<(number * round * 7 % 301) { await Task.yield() }
                                _ = try? await transport.body(request)
                            }
                        }
                        for _ in 0..<(round * 20) { await Task.yield() }
                        group.cancelAll()
                    }
                    #expect(transport.snapshot.transfers == 0)
                }
                let last = try await transport.body(request)
                #expect(last == Array("hello".utf8))
                await transport.shutdown()
                #expect(transport.snapshot == CurlTransport.Snapshot())
            }
        }
        try await check.expectQuiet()
    }

    @Test func `a shutdown ends what is being sent`() async throws {
        let isThere = Event()
        try await withServer { connection in
            _ = connection.request()
            isThere.signal()
            connection.waitForHangUp()
        } _: { server in
            try await SampleFile.withSparse(5_000_000_000) { file in
                let transport = try CurlTransport()
                let request = try HTTPRequest(server.url(), method: .put, body: file.body(5_000_000_000))
                async let error = code { try await transport.body(request) }
                try await isThere.wait()
                await transport.shutdown()
                #expect(await error == .pipelineClosed)
                #expect(transport.snapshot == CurlTransport.Snapshot())
            }
        }
    }

    private static var residentBytes: Int {
        let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
        return (pages.flatMap { $0.count > 1 ? Int($0[1]) : nil } ?? 0) * 4096
    }
}
