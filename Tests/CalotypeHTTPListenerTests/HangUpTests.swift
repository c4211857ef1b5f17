import CalotypeHTTP
import CalotypeHTTPListener
import CalotypeTestKit
import TaskFlow
import Testing

/// Clients that go away (H09, IS-H3): what works for them stops, and nothing is left.
@Suite(.timeLimit(.minutes(1)))
struct HangUpTests {
    /// A way of going away.
    enum Farewell: CaseIterable, Sendable {
        case close, reset, finish

        func say(_ connection: RawConnection) {
            switch self {
            case .close: connection.close()
            case .reset: connection.reset()
            case .finish: connection.finishSending()
            }
        }
    }

    /// With a listener that has time, who is not seen to leave is waited for beyond the limit of the test.
    private static let patient: @Sendable (inout HTTPListenerConfiguration) -> Void = {
        $0.idleTimeout = .seconds(600)
    }

    @Test(arguments: Farewell.allCases)
    func `the task of a client that leaves is cancelled`(_ farewell: Farewell) async throws {
        let began = Event()
        let cancelled = Event()
        let responder = ScriptedResponder { _ in
            began.signal()
            try? await Event().wait()
            cancelled.signal()
            return .text("too late")
        }
        try await withTestListener(responder, configure: Self.patient) { listener, client in
            let connection = try client.connect()
            try await connection.send(request("GET", "/"))
            try await began.wait()
            farewell.say(connection)
            try await cancelled.wait()
            let finished = try await responder.finished.wait(count: 1)[0]
            #expect(!finished.isComplete && finished.status == nil && finished.sentBytes == 0)
        }
    }

    @Test func `a client that leaves with a request unread is seen too`() async throws {
        let began = Event()
        let responder = ScriptedResponder { _ in
            began.signal()
            try? await Event().wait()
            return .text("too late")
        }
        try await withTestListener(responder) { _, client in
            let connection = try client.connect()
            try await connection.send(request("GET", "/1"))
            try await began.wait()
            try await connection.send(request("GET", "/2"))
            connection.close()
            try await responder.finished.wait(count: 1)
        }
        #expect(responder.finished.values.map(\.request.target) == ["/1"])
    }

    @Test(arguments: [
        "", "G", "GET / HTTP/1.1\r\nHo", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc",
    ])
    func `a client that leaves early leaves nothing`(_ part: String) async throws {
        let responder = ScriptedResponder { request in
            _ = try? await request.body.collect()
            return .text("never")
        }
        try await withTestListener(responder) { listener, client in
            for farewell in Farewell.allCases {
                let connection = try client.connect()
                if !part.isEmpty { try await connection.send(part) }
                farewell.say(connection)
            }
            let other = try await client.get("/")
            #expect(other.status == 200)
        }
    }

    @Test(arguments: [Farewell.close, .reset])
    func `the reader of a body learns that its client left`(_ farewell: Farewell) async throws {
        let pieces = Recorder<Int>()
        let failures = Recorder<String>()
        let responder = ScriptedResponder { request in
            do {
                for try await piece in request.body { pieces.record(piece.count) }
            } catch {
                failures.record("\(error)")
            }
            return .text("too late")
        }
        try await withTestListener(responder) { _, client in
            let connection = try client.connect()
            try await connection.send(request("POST", "/", ["Content-Length: 10"], body: "abc"))
            try await pieces.wait(count: 1)
            farewell.say(connection)
            try await failures.wait(count: 1)
            try await responder.finished.wait(count: 1)
        }
        #expect(pieces.values == [3])
    }

    @Test func `a client that leaves right behind its bytes is seen immediately`() async throws {
        let responder = ScriptedResponder { request in
            _ = try? await request.body.collect()
            return .text("never")
        }
        try await withTestListener(responder, configure: Self.patient) { _, client in
            let bytes =
                Array(request("POST", "/", ["Content-Length: 1000000"]).utf8)
                + [UInt8](repeating: 1, count: 300_000)
            for _ in 0..<50 {
                let connection = try client.connect()
                try await connection.send(bytes)
                connection.close()
            }
            try await responder.finished.wait(count: 50)
        }
    }

    @Test(arguments: [Farewell.close, .reset])
    func `the producer of a stream is stopped when its client leaves`(_ farewell: Farewell) async throws {
        let ended = Event()
        let responder = ScriptedResponder { _ in
            OutgoingResponse(200, HTTPHeaders(), .stream(length: nil, Endless(ended: ended)))
        }
        try await withTestListener(responder) { _, client in
            let connection = try client.connect()
            try await connection.send(request("GET", "/"))
            _ = try await connection.drop(1 << 20)
            farewell.say(connection)
            try await ended.wait()
            let finished = try await responder.finished.wait(count: 1)[0]
            #expect(!finished.isComplete && finished.status == 200 && finished.sentBytes >= 1 << 20)
        }
    }

    @Test func `a producer with nothing to give is stopped when its client leaves`() async throws {
        let ended = Event()
        let responder = ScriptedResponder { _ in
            OutgoingResponse(200, HTTPHeaders(), .stream(length: nil, Silent(ended: ended)))
        }
        try await withTestListener(responder) { _, client in
            let connection = try client.connect()
            try await connection.send(request("GET", "/"))
            _ = try await connection.receive { $0.text.contains("first") }
            connection.close()
            try await ended.wait()
        }
    }

    @Test func `the end of the scope cancels what is under way`() async throws {
        let began = Event()
        let ended = Event()
        let responder = ScriptedResponder { _ in
            began.signal()
            try? await Event().wait()
            ended.signal()
            return .text("too late")
        }
        try await withTestListener(responder) { _, client in
            let connection = try client.connect()
            try await connection.send(request("GET", "/"))
            try await began.wait()
            // Kept open beyond the scope.
            _ = try client.connect()
        }
        #expect(ended.hasHappened)
        #expect(responder.finished.count == 1)
    }

    @Test func `cancelling the owner cancels the requests`() async throws {
        let began = Event()
        let responder = ScriptedResponder { _ in
            began.signal()
            try? await Event().wait()
            return .text("too late")
        }
        await #expect(throws: CancellationError.self) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await withTestListener(responder) { _, client in
                        let connection = try client.connect()
                        try await connection.send(request("GET", "/"))
                        try await Event().wait()
                    }
                }
                try await began.wait()
                group.cancelAll()
                try await group.waitForAll()
            }
        }
        #expect(responder.finished.count == 1)
    }
}

/// Gives pieces without end.
struct Endless: AsyncSequence, Sendable {
    struct Iterator: AsyncIteratorProtocol {
        let ending: Ending
        mutating func next() async throws -> [UInt8]? { [UInt8](repeating: 7, count: 10_000) }
    }

    let ended: Event
    func makeAsyncIterator() -> Iterator { Iterator(ending: Ending(ended)) }
}

/// Gives one piece, and then nothing.
struct Silent: AsyncSequence, Sendable {
    struct Iterator: AsyncIteratorProtocol {
        let ending: Ending
        var isFirst = true

        mutating func next() async throws -> [UInt8]? {
            if isFirst {
                isFirst = false
                return Array("first".utf8)
            }
            try await Event().wait()
            return nil
        }
    }

    let ended: Event
    func makeAsyncIterator() -> Iterator { Iterator(ending: Ending(ended)) }
}

/// Tells that an iterator was let go.
final class Ending: Sendable {
    private let event: Event
    init(_ event: Event) { self.event = event }
    deinit { event.signal() }
}
