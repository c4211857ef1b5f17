import CalotypeHTTPListener
import CalotypeTestKit
import TaskFlow
import Testing

/// Answers that come later and without a task.
@Suite(.timeLimit(.minutes(1)))
struct LaterAnswerTests {
    private let promised = Recorder<LaterAnswer>()
    private let asked = Recorder<String>()

    /// Hands out promises, and answers in a task where one gives nothing.
    private var responder: ScriptedResponder {
        var responder = ScriptedResponder { [asked] request in
            asked.record(request.target)
            return .text("from a task")
        }
        responder.first = { [promised] _ in .later { promised.record($0) } }
        return responder
    }

    @Test func `an answer that comes later is sent, and no task is asked`() async throws {
        let responder = responder
        try await withTestListener(responder) { _, client in
            let connection = try client.connect()
            // More than once on one connection.
            for number in 1...3 {
                try await connection.send(request("GET", "/\(number)"))
                let later = try await promised.wait(count: number)[number - 1]
                #expect(later.isWanted)
                later.give(.text("answer \(number)"))
                let answer = try await connection.answer()
                #expect(answer.bodyText == "answer \(number)")
            }
            try await responder.finished.wait(count: 3)
        }
        #expect(asked.values == [])
        #expect(responder.finished.values.allSatisfy { $0.isComplete && $0.status == 200 })
    }

    @Test func `an answer may come before the one who promised it returns`() async throws {
        var responder = responder
        responder.first = { _ in .later { $0.give(.text("at once")) } }
        try await withTestListener(responder) { _, client in
            let answer = try await client.get("/")
            #expect(answer.bodyText == "at once")
        }
    }

    @Test(arguments: [true, false])
    func `where nothing comes a task is asked`(_ isAtOnce: Bool) async throws {
        var responder = responder
        if isAtOnce { responder.first = { _ in .later { $0.give(nil) } } }
        try await withTestListener(responder) { _, client in
            let connection = try client.connect()
            try await connection.send(request("GET", "/a"))
            if !isAtOnce { try await promised.wait(count: 1)[0].give(nil) }
            let answer = try await connection.answer()
            #expect(answer.bodyText == "from a task")
        }
        #expect(asked.values == ["/a"])
    }

    @Test(arguments: HangUpTests.Farewell.allCases)
    func `what is promised to a client that leaves is not wanted any more`(
        _ farewell: HangUpTests.Farewell
    ) async throws {
        let responder = responder
        try await withTestListener(responder) { _, client in
            let connection = try client.connect()
            try await connection.send(request("GET", "/"))
            let later = try await promised.wait(count: 1)[0]
            farewell.say(connection)
            while later.isWanted { await Task.yield() }
            later.give(.text("too late"))
            let finished = try await responder.finished.wait(count: 1)[0]
            #expect(!finished.isComplete && finished.sentBytes == 0)
            connection.close()
        }
    }

    @Test(arguments: [true, false])
    func `the end of the listener waits for what is promised`(_ hasAnswer: Bool) async throws {
        let order = Recorder<String>()
        let responder = responder
        // It stays open until the listener stops, so that it is the listener that ends the exchange.
        let connections = Recorder<RawConnection>()
        let giver = Task { [promised] in
            let later = try await promised.wait(count: 1)[0]
            // The listener stops: whoever waited is let go.
            while later.isWanted { await Task.yield() }
            for _ in 0..<100 { await Task.yield() }
            for connection in connections.values { connection.close() }
            order.record("given")
            later.give(hasAnswer ? .text("too late") : nil)
        }
        try await withTestListener(responder, onEnd: { order.record("ended") }) { _, client in
            let connection = try client.connect()
            connections.record(connection)
            try await connection.send(request("GET", "/"))
            try await promised.wait(count: 1)
        }
        try await giver.value
        #expect(order.values == ["given", "ended"])
        #expect(asked.values == [])
    }
}
