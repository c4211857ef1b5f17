import CalotypeHTTP
import CalotypeHTTPListener
import CalotypeTestKit
import TaskFlow
import Testing

@testable import CalotypeApp

@Suite(.timeLimit(.minutes(1)))
struct EventStreamTests {
    private struct Count: Encodable {
        let count: Int
    }

    /// Runs what writes the body, with a client that takes everything, and returns what was written.
    private static func written(by response: OutgoingResponse) async throws -> String {
        let pieces = Recorder<[UInt8]>()
        guard case .written(nil, let write) = response.body else { return "no stream" }
        try await write(
            BodyWriter {
                pieces.record($0)
            } ifIdle: {
                pieces.record($0); return true
            }
        )
        return String(decoding: pieces.values.joined(), as: UTF8.self)
    }

    @Test func `an event is a name and a line of JSON`() async throws {
        let response = EventStream.response(clock: ManualClock()) { events in
            try await events.send("count", Count(count: 1))
            try await events.send("count", Count(count: 2))
        }
        #expect(response.headers["Content-Type"] == "text/event-stream")
        let text = try await Self.written(by: response)
        #expect(text == "event: count\ndata: {\"count\":1}\n\nevent: count\ndata: {\"count\":2}\n\n")
    }

    @Test func `a sign of life is sent every 5 seconds`() async throws {
        let clock = ManualClock()
        let response = EventStream.response(clock: clock) { events in
            for _ in 0..<2 {
                try await clock.waitForSleepers(1)
                clock.advance(by: .seconds(5))
            }
            try await clock.waitForSleepers(1)
            clock.advance(by: .seconds(4))
        }
        let text = try await Self.written(by: response)
        #expect(text == ": \n\n: \n\n")
    }

    @Test func `an endless stream ends when the server drains`() async throws {
        let draining = Latch<Void>()
        let cancelled = Event()
        let response = EventStream.response(clock: ManualClock(), until: draining) { events in
            try await events.send("count", Count(count: 1))
            draining.set(())
            do { try await Event().wait() } catch { cancelled.signal() }
        }
        let text = try await Self.written(by: response)
        #expect(text == "event: count\ndata: {\"count\":1}\n\n")
        #expect(cancelled.hasHappened)
    }

    @Test func `what the feed throws is thrown, after the rest has ended`() async throws {
        struct Broken: Error {}
        let response = EventStream.response(clock: ManualClock()) { _ in throw Broken() }
        await #expect(throws: Broken.self) { try await Self.written(by: response) }
    }
}
