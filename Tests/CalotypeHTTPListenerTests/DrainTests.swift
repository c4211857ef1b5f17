import CalotypeHTTP
import CalotypeHTTPListener
import CalotypeTestKit
import TaskFlow
import Testing

/// The end of a listener (H11).
@Suite(.timeLimit(.minutes(1)))
struct DrainTests {
    @Test func `a response in progress is finished, and its connection closed`() async throws {
        let began = Event()
        let goesOn = Event()
        let responder = ScriptedResponder { _ in
            began.signal()
            try? await goesOn.wait()
            return .text("done")
        }
        try await withTestListener(responder) { listener, client in
            let connection = try client.connect()
            try await connection.send(request("GET", "/"))
            try await began.wait()
            async let drained: Void = listener.drain(within: .seconds(20))
            async let answer = connection.receive()
            while (try? client.connect()) != nil { await Task.yield() }
            goesOn.signal()
            let received = try await answer
            #expect(received.bodyText == "done")
            #expect(received.field("Connection") == "close")
            #expect(received.end == .closed)
            await drained
            #expect(listener.openConnections == 0)
        }
        #expect(responder.finished.values.map(\.isComplete) == [true])
    }

    @Test func `what is not done when the grace is over is cancelled`() async throws {
        let began = Event()
        let ended = Event()
        let responder = ScriptedResponder { _ in
            began.signal()
            try? await Event().wait()
            ended.signal()
            return .text("too late")
        }
        try await withTestListener(responder) { listener, client in
            let connection = try client.connect()
            try await connection.send(request("GET", "/"))
            try await began.wait()
            await listener.drain(within: .milliseconds(50))
            try await ended.wait()
            // A task that answers at once when it is cancelled may still be heard.
            let received = try await connection.receive()
            #expect(received.bytes.isEmpty || received.bodyText == "too late")
        }
    }

    @Test func `idle connections do not hold it up`() async throws {
        let responder = ScriptedResponder { _ in .text("a") }
        try await withTestListener(responder) { listener, client in
            let connections = try (0..<50).map { _ in try client.connect() }
            for connection in connections {
                try await connection.send(request("GET", "/"))
                _ = try await connection.answer()
            }
            // Held up, it would take longer than the test may.
            await listener.drain(within: .seconds(600))
            #expect(listener.openConnections == 0)
        }
    }

    @Test func `a second drain changes nothing`() async throws {
        let responder = ScriptedResponder { _ in .text("a") }
        try await withTestListener(responder) { listener, _ in
            await listener.drain(within: .zero)
            await listener.drain(within: .seconds(20))
        }
    }

    @Test func `a request that was sent before the server began receives a response`() async throws {
        let responder = ScriptedResponder { request in
            _ = try? await request.body.collect()
            return .text(request.target)
        }
        try await withTestListener(responder) { listener, client in
            let early = try client.connect()
            try await early.send("GET /early HTTP/1.1\r\nHo")
            let body = try client.connect()
            try await body.send(request("POST", "/body", ["Content-Length: 3"]))
            // Connections are taken in order, so that those before this one have been taken.
            _ = try await client.get("/")
            async let drained: Void = listener.drain(within: .seconds(20))
            while (try? client.connect()) != nil { await Task.yield() }
            try await early.send("st: a\r\n\r\n")
            try await body.send("abc")
            let answers = [try await early.receive(), try await body.receive()]
            #expect(answers.map(\.bodyText) == ["/early", "/body"])
            await drained
        }
    }

    @Test func `no request fails when it ends under load`() async throws {
        let responder = ScriptedResponder { request in
            await Task.yield()
            return .text(request.target)
        }
        let outcomes = Recorder<Bool>()
        try await withTestListener(responder, threads: 16) { listener, client in
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<12 {
                    group.addTask {
                        // Until it takes no more connections.
                        while let connection = try? client.connect() {
                            let sent =
                                (try? await connection.send(request("GET", "/a", ["Connection: close"])))
                                != nil
                            let answer = try? await connection.receive()
                            outcomes.record(sent && answer?.bodyText == "/a")
                        }
                    }
                }
                _ = try? await outcomes.wait(count: 200)
                await listener.drain(within: .seconds(20))
            }
        }
        let failures = outcomes.values.filter { !$0 }.count
        // A connection that the kernel made in the very moment in which the socket was closed is reset.
        #expect(failures <= 1)
        #expect(outcomes.count >= 200)
        #expect(responder.finished.values.allSatisfy { $0.isComplete })
    }
}
