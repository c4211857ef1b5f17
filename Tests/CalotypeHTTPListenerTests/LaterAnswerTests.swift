import CalotypeHTTP
import CalotypeHTTPListener
import CalotypePlatform
import CalotypeTestKit
import TaskFlow
import Testing

/// Answers of tasks that begin on the listener's thread.
@Suite(.timeLimit(.minutes(1)))
struct LaterAnswerTests {
    private let begun = Recorder<String>()
    private let cancelled = Recorder<String>()
    private let asked = Recorder<String>()

    /// Answers as `plan` says, whose beginning and cancellation are recorded.
    private func responder(
        _ plan: @escaping @Sendable (IncomingRequest) async throws -> OutgoingResponse
    ) -> ScriptedResponder {
        var responder = ScriptedResponder { [asked] request in
            asked.record(request.target)
            return .text("from another task")
        }
        responder.first = { [begun, cancelled] request in
            .later {
                begun.record(request.target)
                do {
                    return try await plan(request)
                } catch {
                    cancelled.record(request.target)
                    return OutgoingResponse(499)
                }
            }
        }
        return responder
    }

    @Test func `a later response is sent, and no other task is started`() async throws {
        let gate = Recorder<String>()
        let responder = responder { request in
            try await gate.wait(count: Int(request.target.dropFirst()) ?? 0)
            return .text("answer \(request.target)")
        }
        try await withTestListener(responder) { _, client in
            let connection = try client.connect()
            // More than once on one connection.
            for number in 1...3 {
                try await connection.send(request("GET", "/\(number)"))
                try await begun.wait(count: number)
                gate.record("go")
                let answer = try await connection.answer()
                #expect(answer.bodyText == "answer /\(number)")
            }
            try await responder.finished.wait(count: 3)
        }
        #expect(asked.values == [])
        #expect(responder.finished.values.allSatisfy { $0.isComplete && $0.status == 200 })
    }

    @Test func `a response may arrive before its plan waits for anything`() async throws {
        let responder = responder { _ in .text("immediately") }
        try await withTestListener(responder) { _, client in
            let answer = try await client.get("/")
            #expect(answer.bodyText == "immediately")
        }
    }

    @Test func `a later response may be a stream`() async throws {
        let responder = responder { _ in
            OutgoingResponse(
                200,
                HTTPHeaders(),
                .written(length: 3) { try await $0.write(Array("abc".utf8)) }
            )
        }
        try await withTestListener(responder) { _, client in
            let answer = try await client.get("/")
            #expect(answer.bodyText == "abc")
        }
    }

    @Test func `a plan begins on the listener's thread and continues where it is resumed`() async throws {
        let latch = Latch<UInt>()
        let threads = Recorder<[UInt]>()
        var responder = responder { _ in .text("") }
        responder.first = { _ in
            let listener = UInt(pthread_self())
            return .later {
                let beginning = UInt(pthread_self())
                let waker = (try? await latch.wait()) ?? 0
                threads.record([listener, beginning, waker, UInt(pthread_self())])
                return .text("done")
            }
        }
        try await withThreadExecutor(name: "waker", threads: 1) { waker in
            try await withTestListener(responder) { _, client in
                let connection = try client.connect()
                try await connection.send(request("GET", "/"))
                try await waker.run {
                    // Until the plan waits: its thread is the listener's, which is watched by nobody.
                    usleep(50_000)
                    InlineExecutor.shared.lendingThread { latch.set(UInt(pthread_self())) }
                }
                let answer = try await connection.answer()
                #expect(answer.bodyText == "done")
            }
        }
        let seen = try #require(threads.values.first)
        #expect(seen[0] == seen[1] && seen[2] == seen[3] && seen[1] != seen[2])
    }

    @Test(arguments: HangUpTests.Farewell.allCases)
    func `a plan is cancelled when its client leaves`(_ farewell: HangUpTests.Farewell) async throws {
        let responder = responder { _ in
            try await Latch<OutgoingResponse>().wait()
        }
        try await withTestListener(responder) { _, client in
            let connection = try client.connect()
            try await connection.send(request("GET", "/"))
            try await begun.wait(count: 1)
            farewell.say(connection)
            try await cancelled.wait(count: 1)
            let finished = try await responder.finished.wait(count: 1)[0]
            #expect(!finished.isComplete && finished.sentBytes == 0)
            connection.close()
        }
    }

    @Test func `the end of the listener cancels plans and waits for them`() async throws {
        let order = Recorder<String>()
        let responder = responder { _ in
            do {
                return try await Latch<OutgoingResponse>().wait()
            } catch {
                for _ in 0..<100 { await Task.yield() }
                order.record("plan ended")
                throw error
            }
        }
        try await withTestListener(responder, onEnd: { order.record("listener ended") }) { _, client in
            let connection = try client.connect()
            try await connection.send(request("GET", "/"))
            try await begun.wait(count: 1)
            connection.close()
        }
        #expect(order.values == ["plan ended", "listener ended"])
        #expect(asked.values == [])
    }
}
