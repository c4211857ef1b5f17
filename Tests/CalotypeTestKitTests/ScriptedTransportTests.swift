import CalotypeCore
import CalotypeHTTP
import CalotypeTestKit
import TaskFlow
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ScriptedTransportTests {
    private static let url = "http://a.test/1.jpg"
    private static let text = Array("0123456789".utf8)

    @Test func `a URL gets its response, and others get the default`() async throws {
        let transport = ScriptedTransport()
        let picture = ScriptedResponse(headers: ["X-One": "1"], body: [.bytes(Self.text)])
        try transport.answer("HTTP://A.test:80/1.jpg", with: picture)
        try await transport.withResponse(to: request()) { response in
            #expect(response.status == 200)
            #expect(response.headers["x-one"] == "1")
            #expect(response.headers["Content-Length"] == "10")
            #expect(response.contentLength == ByteCount(10))
            let body = try await response.body.collect()
            #expect(body == Self.text)
        }
        let unknown = try await transport.withResponse(to: request("http://a.test/2.jpg")) { $0.status }
        #expect(unknown == 404)
        #expect(transport.requests.map(\.url.text) == [Self.url, "http://a.test/2.jpg"])
        #expect(transport.statistics.completed == 2)
        #expect(transport.statistics.bytes == ByteCount(10))
    }

    @Test func `several responses are sent one after the other, the last one repeatedly`() async throws {
        let transport = ScriptedTransport()
        let wait = ScriptedResponse.status(503, headers: ["Retry-After": "7"])
        try transport.answer(Self.url, with: wait, .status(500), .bytes(Self.text))
        var statuses: [Int] = []
        for _ in 0..<4 {
            statuses.append(try await transport.withResponse(to: request()) { $0.status })
        }
        #expect(statuses == [503, 500, 200, 200])
    }

    @Test func `a closure sees the request, and the first with a response counts`() async throws {
        let transport = ScriptedTransport()
        transport.answer { $0.headers["Authorization"] == nil ? .status(401) : nil }
        transport.answer { _ in .status(204) }
        let refused = try await transport.withResponse(to: request()) { $0.status }
        var signed = try request()
        try signed.addHeader("Authorization", "Bearer 1")
        let admitted = try await transport.withResponse(to: signed) { $0.status }
        #expect([refused, admitted] == [401, 204])
        #expect(transport.requests.last?.headers["authorization"] == "Bearer 1")
    }

    @Test func `nothing comes before its time on the clock`() async throws {
        let clock = ManualClock()
        let transport = ScriptedTransport(clock: clock)
        let pieces = Recorder<[UInt8]>()
        let slow = ScriptedResponse.bytes(Self.text)
            .inPieces(of: ByteCount(4), every: .seconds(2))
            .after(.pause(.seconds(3)))
        try transport.answer(Self.url, with: slow)
        let load = Task {
            try await transport.withResponse(to: request()) { response in
                for try await piece in response.body { pieces.record(piece) }
                return response.timings
            }
        }
        try await transport.waitForRequests(1)
        for (pause, count) in [(3, 0), (2, 1), (2, 2), (2, 3)] {
            try await clock.waitForSleepers(1)
            clock.advance(by: .seconds(pause) - .milliseconds(1))
            #expect(clock.sleepers == 1)
            clock.advance(by: .milliseconds(1))
            try await pieces.wait(count: count)
        }
        let timings = try await load.value
        #expect(pieces.values == [Array("0123".utf8), Array("4567".utf8), Array("89".utf8)])
        #expect(timings.firstByte == .seconds(3))
        #expect(timings.body == .seconds(6))
    }

    @Test func `a response waits for an event`() async throws {
        let event = Event()
        let transport = ScriptedTransport(clock: ManualClock())
        try transport.answer(Self.url, with: .bytes(Self.text).after(.until(event)))
        let load = Task { try await transport.withResponse(to: request()) { $0.status } }
        try await transport.statistics { $0.open == 1 }
        event.signal()
        let status = try await load.value
        #expect(status == 200)
        #expect(transport.statistics.cutOff == 1)
    }

    @Test func `long bodies come in pieces as short as the real transport's`() async throws {
        let transport = ScriptedTransport(otherwise: .bytes([UInt8](repeating: 7, count: 40_000)))
        try await transport.withResponse(to: request()) { response in
            var sizes: [Int] = []
            for try await piece in response.body { sizes.append(piece.count) }
            #expect(sizes == [16_384, 16_384, 7_232])
        }
    }

    @Test(arguments: [
        (ScriptedResponse.bytes(text).cut(after: ByteCount(4)), "0123", "truncated_body"),
        (
            ScriptedResponse(length: .other(ByteCount(20)), body: [.bytes(text)]), "0123456789",
            "truncated_body"
        ),
        (ScriptedResponse(length: .other(ByteCount(6)), body: [.bytes(text)]), "012345", nil),
        (ScriptedResponse(length: .unknown, body: [.bytes(text)]).cut(after: ByteCount(4)), "0123", nil),
        (
            ScriptedResponse.bytes(text).cut(after: ByteCount(4), then: .failure(reset)), "0123",
            "connection_reset"
        ),
        (ScriptedResponse.failure(reset), "", "connection_reset"),
        (ScriptedResponse(length: .other(ByteCount(2000)), body: []), "", "too_many_bytes"),
        (
            ScriptedResponse(length: .unknown, body: [.bytes([UInt8](repeating: 0, count: 2000))]), "",
            "too_many_bytes"
        ),
    ])
    func `what came before an error is read before it`(
        answer: ScriptedResponse,
        text: String,
        code: String?
    ) async throws {
        let transport = ScriptedTransport(otherwise: answer)
        var request = try request()
        request.limits.bodyBytes = ByteCount(1000)
        let read = Recorder<[UInt8]>()
        let result = await failure {
            try await transport.withResponse(to: request) { response in
                for try await piece in response.body { read.record(piece) }
            }
        }
        #expect(String(decoding: read.values.joined(), as: UTF8.self) == text)
        #expect((result as? CalotypeError)?.code.rawValue == code)
        #expect(transport.statistics.failed == (code == nil ? 0 : 1))
        #expect(transport.statistics.open == 0)
    }

    private static let reset = CalotypeError(.connectionReset, "the connection was cut", stage: .response)

    @Test(arguments: [
        (ScriptedResponse.never, nil, "timeout_headers", 10),
        (ScriptedResponse.never, 4, "timeout_total", 4),
        (ScriptedResponse.bytes(text).after(.until(Event())), nil, "timeout_headers", 10),
        (ScriptedResponse.bytes(text).cut(after: ByteCount(4), then: .forever), nil, "timeout_idle", 15),
        (
            ScriptedResponse.bytes(text).inPieces(of: ByteCount(1), every: .seconds(9)), 60, "timeout_total",
            60
        ),
    ])
    func `the request's timeouts hold`(
        answer: ScriptedResponse,
        total: Int?,
        code: String,
        seconds: Int
    ) async throws {
        let clock = ManualClock()
        let transport = ScriptedTransport(clock: clock, otherwise: answer)
        var request = try request()
        request.timeouts.total = total.map { .seconds($0) }
        let executor = ManualExecutor()
        let load = Task(executorPreference: executor) { [request] in
            await failure {
                try await transport.withResponse(to: request) { _ = try await $0.body.collect() }
            }
        }
        repeat { executor.runUntilIdle() } while clock.advanceToNextSleeper()
        let error = await load.value
        #expect((error as? CalotypeError)?.code.rawValue == code)
        #expect((error as? CalotypeError)?.url == Self.url)
        #expect(clock.now.offset == .seconds(seconds))
        #expect(clock.sleepers == 0)
    }

    @Test func `a cancelled task sends nothing`() async throws {
        let transport = ScriptedTransport()
        let load = Task {
            // Ends with the cancellation that the test waits for.
            try? await Event().wait()
            _ = try await transport.withResponse(to: request()) { $0.status }
        }
        load.cancel()
        await #expect(throws: CancellationError.self) { try await load.value }
        #expect(transport.statistics.requests == 0)
    }

    @Test(arguments: [
        ScriptedResponse.never, .bytes(text).after(.until(Event())), .bytes(text).after(.pause(.seconds(1))),
        .bytes(text).cut(after: ByteCount(4), then: .forever),
    ])
    func `cancelling a reader ends its exchange wherever it waits`(answer: ScriptedResponse) async throws {
        let clock = ManualClock()
        let transport = ScriptedTransport(clock: clock, otherwise: answer)
        let load = Task {
            try await transport.withResponse(to: request()) { _ = try await $0.body.collect() }
        }
        try await clock.waitForSleepers(1)
        load.cancel()
        await #expect(throws: CancellationError.self) { try await load.value }
        #expect(transport.statistics.cancelled == 1)
        #expect(transport.statistics.open == 0)
        #expect(clock.sleepers == 0)
    }

    @Test func `a body cannot be read after its exchange`() async throws {
        let transport = ScriptedTransport(otherwise: .bytes(Self.text))
        let body = try await transport.withResponse(to: request()) { $0.body }
        await #expect(throws: CancellationError.self) { try await body.collect() }
        #expect(transport.statistics.cutOff == 1)
    }

    @Test func `through a client, redirects are followed and the gates hold`() async throws {
        let clock = ManualClock()
        let transport = ScriptedTransport(
            clock: clock,
            otherwise: .bytes(Self.text).after(.pause(.seconds(1)))
        )
        try transport.answer(Self.url, with: .redirect(to: "/2.jpg"))
        let client = HTTPClient(transport)
        let executor = ManualExecutor()
        let loads = Task(executorPreference: executor) {
            try await withThrowingTaskGroup { group in
                for _ in 0..<20 {
                    group.addTask { try await client.withResponse(to: request()) { $0.url.text } }
                }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
        }
        repeat { executor.runUntilIdle() } while clock.advanceToNextSleeper()
        let urls = try await loads.value
        #expect(urls == ["http://a.test/2.jpg"])
        #expect(transport.statistics.requests == 40)
        #expect(transport.statistics.mostOpen == 8)
        #expect(clock.now.offset == .seconds(3))
    }

    @Test func `an address that the policy forbids is refused`() async throws {
        let transport = ScriptedTransport(otherwise: .bytes(Self.text))
        let private10 = HTTPRequest(try WebURL("http://10.0.0.1/"), addressPolicy: .publicOnly)
        let error = await #expect(throws: CalotypeError.self) {
            try await transport.withResponse(to: private10) { $0.status }
        }
        #expect(error?.code == .blockedAddress)
        #expect(transport.statistics.requests == 0)
    }

    @Test func `the requests that are kept are bounded, all are counted`() async throws {
        let transport = ScriptedTransport(keptRequests: 3)
        for _ in 0..<5 { _ = try await transport.withResponse(to: request()) { $0.status } }
        #expect(transport.requests.count == 3)
        #expect(transport.statistics.requests == 5)
    }
}

private func request(_ url: String = "http://a.test/1.jpg") throws -> HTTPRequest {
    HTTPRequest(try WebURL(url))
}
