import CalotypeHTTP
import CalotypeHTTPListener
import FoundationEssentials
import TaskFlow

/// Server-sent events as the body of a response (WHATWG HTML, section 9.2).
///
/// A child of the request's task sends the events. It is cancelled and awaited when the client disconnects,
/// and a slow client slows it down. A comment line every 5 seconds keeps the connection alive.
struct EventStream: Sendable {
    static let lifeSign = Duration.seconds(5)

    private let writer: BodyWriter

    /// Returns a response that sends the events of `feed`, and ends when `feed` returns.
    ///
    /// - Parameters:
    ///   - clock: Measures the time between keep-alive comments.
    ///   - ending: Ends a stream that has no end, by cancelling `feed`.
    ///   - feed: Sends the events, one at a time; an error closes the connection.
    /// - Returns: The response; nothing runs before the listener reads its body.
    static func response(
        clock: any Clock<Duration>,
        until ending: Latch<Void>? = nil,
        _ feed: @escaping @Sendable (EventStream) async throws -> Void
    ) -> OutgoingResponse {
        let headers = HTTPHeaders([
            .init("Content-Type", "text/event-stream"),
            .init("Cache-Control", "no-store"),
            .init("X-Content-Type-Options", "nosniff"),
            // Asks proxies not to buffer this response.
            .init("X-Accel-Buffering", "no"),
        ])
        let body: @Sendable (BodyWriter) async throws -> Void = { writer in
            try await run(EventStream(writer: writer), clock, ending, feed)
        }
        return OutgoingResponse(200, headers, .written(length: nil, by: body))
    }

    /// Sends an event, and returns when there is space for the next one.
    ///
    /// - Parameters:
    ///   - name: The event's name.
    ///   - data: The event's data, encoded as one line of JSON.
    /// - Throws: `CancellationError` if the client disconnected or the stream must end.
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
            group.addTask(name: "event keep-alive") { try await stream.showLife(clock) }
            if let ending { group.addTask(name: "event end") { try await ending.wait() } }
            // The keep-alive task never returns, so `feed` has returned or the stream must end.
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
