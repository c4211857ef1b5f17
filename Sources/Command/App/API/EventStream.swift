import CalotypeHTTP
import CalotypeHTTPListener
import FoundationEssentials
import TaskFlow

/// Server-sent events as the body of an answer (WHATWG HTML, section 9.2).
///
/// What feeds it runs as a child of the request's task: it is cancelled and awaited when the client goes, and a client that reads
/// slowly slows it down. A comment line is sent every 5 seconds as a sign of life.
struct EventStream: Sendable {
    static let lifeSign = Duration.seconds(5)

    private let writer: BodyWriter

    /// The answer whose events `feed` sends; it ends when `feed` returns.
    ///
    /// - Parameters:
    ///   - clock: Measures the time between two signs of life.
    ///   - ending: Ends the stream when it is set, for one that has no end of its own: `feed` is cancelled then.
    ///   - feed: Sends the events, one at a time; what it throws cuts the connection.
    /// - Returns: The answer; nothing runs before the listener asks for its body.
    static func response(
        clock: any Clock<Duration>,
        until ending: Latch<Void>? = nil,
        _ feed: @escaping @Sendable (EventStream) async throws -> Void
    ) -> OutgoingResponse {
        let headers = HTTPHeaders([
            .init("Content-Type", "text/event-stream"),
            .init("Cache-Control", "no-store"),
            .init("X-Content-Type-Options", "nosniff"),
            // Proxies that gather answers are asked to hand this one on as it comes.
            .init("X-Accel-Buffering", "no"),
        ])
        let body: @Sendable (BodyWriter) async throws -> Void = { writer in
            try await run(EventStream(writer: writer), clock, ending, feed)
        }
        return OutgoingResponse(200, headers, .written(length: nil, by: body))
    }

    /// Sends an event, and returns when there is room for the next.
    ///
    /// - Parameters:
    ///   - name: The event's name.
    ///   - data: What it tells, as one line of JSON.
    /// - Throws: `CancellationError` where the client has gone or the stream is to end.
    func send(_ name: String, _ data: some Encodable) async throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let line = try encoder.encode(data)
        try await writer.write(Array("event: \(name)\ndata: ".utf8) + line + Array("\n\n".utf8))
    }

    private static func run(
        _ stream: EventStream,
        _ clock: any Clock<Duration>,
        _ ending: Latch<Void>?,
        _ feed: @escaping @Sendable (EventStream) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask(name: "event feed") { try await feed(stream) }
            group.addTask(name: "event life signs") { try await stream.showLife(clock) }
            if let ending { group.addTask(name: "event end") { try await ending.wait() } }
            // The life signs have no end: it is the feed that has ended, or the time to end has come.
            try await group.next()
            group.cancelAll()
        }
    }

    private func showLife(_ clock: any Clock<Duration>) async throws {
        while true {
            try await clock.sleep(for: Self.lifeSign)
            writer.writeIfIdle(Array(": \n\n".utf8))
        }
    }
}
