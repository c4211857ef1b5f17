import CalotypeHTTPListener
import CalotypeTestKit
import Dispatch
import TaskFlow
import Testing

/// Many connections that are ready at the same moment.
///
/// The loop of libmicrohttpd takes 128 events at a time: a full batch, and several of them, have to be served as any others are.
@Suite(.timeLimit(.minutes(2)))
struct BurstTests {
    private static let rounds = 40
    private static let hold = "/hold"

    private let isHeld = Recorder<Bool>()
    private let mayGoOn = DispatchSemaphore(value: 0)

    /// Answers requests as `first` says, and holds the listener's thread while it has the one for ``hold``.
    private func responder(
        _ first: @escaping @Sendable (IncomingRequest) -> FirstAnswer?,
        answer: @escaping @Sendable (IncomingRequest) async -> OutgoingResponse = { .text($0.target) }
    ) -> ScriptedResponder {
        var responder = ScriptedResponder(answer: answer)
        responder.first = { [isHeld, mayGoOn] request in
            guard request.target == Self.hold else { return first(request) }
            isHeld.record(true)
            mayGoOn.wait()
            return .now(.text("held"))
        }
        return responder
    }

    /// Has `count` requests arrive while the listener's thread is held, lets it go on, and reads the answers; many rounds.
    private func burst(
        _ count: Int,
        _ responder: ScriptedResponder,
        onRound: @escaping @Sendable (Int) async throws -> Void = { _ in }
    ) async throws {
        // The thread that is held has all connections.
        try await withTestListener(responder, configure: { $0.threads = 1 }) { listener, client in
            let holder = try client.connect()
            let connections = try (0..<count).map { _ in try client.connect() }
            // All of them are known to the library before the first round.
            try await client.executor.run {
                for connection in connections {
                    try Self.ask("/", connection)
                    try Self.expect("/", connection)
                }
            }
            for round in 1...Self.rounds {
                try await holder.send(request("GET", Self.hold))
                try await isHeld.wait(count: round)
                try await client.executor.run {
                    for connection in connections { try Self.ask("/\(round)", connection) }
                }
                mayGoOn.signal()
                try await onRound(round)
                try await client.executor.run {
                    try Self.expect("held", holder)
                    for connection in connections { try Self.expect("/\(round)", connection) }
                }
            }
            #expect(listener.openConnections == count + 1)
        }
    }

    private static func ask(_ target: String, _ connection: RawConnection) throws {
        try connection.sendNow(Array(request("GET", target).utf8))
    }

    private static func expect(_ text: String, _ connection: RawConnection) throws {
        let end = Array("\r\n\r\n\(text)".utf8)
        let answer = connection.receiveNow { $0.bytes.suffix(end.count).elementsEqual(end) }
        try #require(answer.end == .enough, "no answer to \(text)")
    }

    @Test(arguments: [127, 128, 129, 256])
    func `simultaneous requests receive responses, whatever their number`(_ count: Int) async throws {
        try await burst(count, responder { .now(.text($0.target)) })
    }

    @Test(arguments: [127, 128, 129, 256])
    func `connections that are suspended and resumed receive responses`(
        _ count: Int
    ) async throws {
        let begun = Recorder<(Latch<OutgoingResponse>, String)>()
        let responder = responder { request in
            guard request.target != "/" else { return .now(.text("/")) }
            return .later {
                let latch = Latch<OutgoingResponse>()
                begun.record((latch, request.target))
                return (try? await latch.wait()) ?? OutgoingResponse(499)
            }
        }
        try await burst(count, responder) { round in
            let before = (round - 1) * count
            for (latch, target) in try await begun.wait(count: before + count)[before...] {
                latch.set(.text(target))
            }
        }
    }

    @Test(arguments: [128, 256])
    func `responses of simultaneous tasks are all sent`(_ count: Int) async throws {
        let begun = Recorder<String>()
        let gate = Recorder<Int>()
        let responder = responder({ $0.target == "/" ? .now(.text("/")) : nil }) { request in
            begun.record(request.target)
            let round = Int(request.target.dropFirst()) ?? 0
            _ = try? await gate.wait(count: round)
            return .text(request.target)
        }
        try await burst(count, responder) { round in
            try await begun.wait(count: round * count)
            gate.record(round)
        }
    }

    @Test(arguments: [1, 4])
    func `a stop in the midst of a burst closes all connections`(_ threads: Int) async throws {
        let responder = responder { $0.target == "/" ? .now(.text("/")) : nil }
        let count = 128
        try await withThreadExecutor(name: "raw client", threads: 8) { executor in
            var connections: [RawConnection] = []
            var configuration = HTTPListenerConfiguration()
            configuration.port = 0
            configuration.threads = threads
            try await withHTTPListener(configuration, answering: responder) { listener in
                let client = RawClient(port: listener.port, executor: executor)
                for _ in 0..<count { connections.append(try client.connect()) }
                for connection in connections { try await connection.send(request("GET", "/last")) }
            }
            for connection in connections {
                let received = try await connection.receive()
                #expect(received.end == .closed || received.end == .reset)
            }
        }
    }
}
