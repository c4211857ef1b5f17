import CalotypeHTTPListener
import CalotypePlatform
import CalotypeTestKit
import Dispatch
import TaskFlow
import Testing

/// Several threads, among which the connections are divided.
@Suite(.timeLimit(.minutes(2)))
struct ThreadsTests {
    /// Answers with the number of the thread that asks.
    private static let naming = ScriptedResponder(immediate: { _ in .text("\(pthread_self())") }) { _ in
        OutgoingResponse(500)
    }

    private static func ask(_ connection: RawConnection) async throws -> String {
        try await connection.send(request("GET", "/"))
        return try await connection.answer().bodyText
    }

    @Test func `each thread gets its share of the connections, and new ones where some have ended`()
        async throws
    {
        try await withTestListener(Self.naming, configure: { $0.threads = 3 }) { listener, client in
            var connections: [String: [RawConnection]] = [:]
            for _ in 0..<6 {
                let connection = try client.connect()
                connections[try await Self.ask(connection), default: []].append(connection)
            }
            #expect(connections.count == 3 && connections.values.allSatisfy { $0.count == 2 })
            let (thread, ended) = try #require(connections.first)
            for connection in ended { connection.close() }
            while listener.openConnections > 4 { await Task.yield() }
            for _ in 0..<2 {
                let other = try await Self.ask(try client.connect())
                #expect(other == thread)
            }
        }
    }

    @Test func `a thread that is held delays no connection of another`() async throws {
        let mayGoOn = DispatchSemaphore(value: 0)
        let isHeld = Latch<Void>()
        let responder = ScriptedResponder(immediate: { request in
            if request.target == "/hold" {
                isHeld.set(())
                mayGoOn.wait()
            }
            return .text(request.target)
        }) { _ in OutgoingResponse(500) }
        try await withTestListener(responder, configure: { $0.threads = 2 }) { _, client in
            let held = try client.connect()
            try await held.send(request("GET", "/hold"))
            do {
                defer { mayGoOn.signal() }
                try await isHeld.wait()
                // The other thread has fewer connections.
                let other = try client.connect()
                for number in 0..<10 {
                    try await other.send(request("GET", "/\(number)"))
                    let answer = try await other.answer()
                    #expect(answer.bodyText == "/\(number)")
                }
            }
            let answer = try await held.answer()
            #expect(answer.bodyText == "/hold")
        }
    }
}
