import CalotypeHTTP
import CalotypeHTTPListener
import CalotypeTestKit
import TaskFlow
import Testing

/// Answers that a function writes in the request's task.
@Suite(.timeLimit(.minutes(1)))
struct WrittenBodyTests {
    private static func responder(
        length: Int? = nil,
        _ write: @escaping @Sendable (BodyWriter) async throws -> Void
    ) -> ScriptedResponder {
        ScriptedResponder { _ in OutgoingResponse(200, HTTPHeaders(), .written(length: length, by: write)) }
    }

    @Test func `what is written comes in order`() async throws {
        let responder = Self.responder(length: 5) { writer in
            try await writer.write([0x61, 0x62])
            try await writer.write([])
            try await writer.write([0x63, 0x64, 0x65])
        }
        try await withTestListener(responder) { _, client in
            let answer = try await client.get("/")
            #expect(answer.field("Content-Length") == "5")
            #expect(answer.bodyText == "abcde")
        }
        #expect(responder.finished.values.map(\.isComplete) == [true])
    }

    @Test func `an error cuts the connection`() async throws {
        let responder = Self.responder { writer in
            try await writer.write([0x61])
            throw ClientFailure("no more")
        }
        try await withTestListener(responder) { _, client in
            let answer = try await client.get("/")
            #expect(!answer.text.hasSuffix("0\r\n\r\n"))
            try await responder.finished.wait(count: 1)
        }
        #expect(responder.finished.values.map(\.isComplete) == [false])
    }

    @Test
    func `the head is sent before anything is written, and children end with a client that leaves`()
        async throws
    {
        let ended = Event()
        let responder = Self.responder { _ in
            await withTaskGroup { group in
                group.addTask {
                    try? await Event().wait()
                    ended.signal()
                }
            }
        }
        try await withTestListener(responder) { listener, client in
            let connection = try client.connect()
            try await connection.send(request("GET", "/"))
            let head = try await connection.receive { $0.text.contains("\r\n\r\n") }
            #expect(head.status == 200)
            connection.close()
            try await responder.finished.wait(count: 1)
            #expect(ended.hasHappened)
        }
    }

    @Test func `a slow client slows the writer down`() async throws {
        let written = Recorder<Int>()
        let piece = [UInt8](repeating: 0x61, count: 65_536)
        let responder = Self.responder(length: 400 << 16) { writer in
            for number in 0..<400 {
                try await writer.write(piece)
                written.record(number)
            }
        }
        try await withTestListener(responder) { _, client in
            let connection = try client.connect(receiveBuffer: 65_536)
            try await connection.send(request("GET", "/"))
            _ = try await connection.drop(100_000)
            try await ContinuousClock().sleep(for: .milliseconds(200))
            #expect(written.count < 100)
            let rest = try await connection.drop(400 << 16 - 100_000)
            #expect(rest == 400 << 16 - 100_000)
        }
        #expect(written.count == 400)
    }

    @Test func `the responder is notified that the listener drains`() async throws {
        let drained = Event()
        var responder = Self.responder { writer in
            try await drained.wait()
            try await writer.write([0x61])
        }
        responder.drained = { drained.signal() }
        try await withTestListener(responder) { listener, client in
            let connection = try client.connect()
            try await connection.send(request("GET", "/"))
            _ = try await connection.receive { $0.text.contains("\r\n\r\n") }
            await listener.drain(within: .seconds(20))
            let rest = try await connection.receive()
            #expect(rest.text.hasSuffix("1\r\na\r\n0\r\n\r\n"))
        }
    }
}
