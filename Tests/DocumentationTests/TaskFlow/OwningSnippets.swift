import CalotypeTestKit
import TaskFlow
import Testing

@Suite(.timeLimit(.minutes(1))) struct OwningSnippets {
    private let orders = [3, 5]
    private let archived = Recorder<Int>()
    private let files = ["a", "bb"]

    private func pay(_ order: Int) async throws -> Int { order * 10 }

    @Sendable private func archive(_ receipt: Int) async { archived.record(receipt) }

    @Test func `the archive is written before the scope ends`() async throws {
        // snippet: Owning.scope
        try await withTaskScope(ending: .drain) { scope in
            for order in orders {
                let receipt = try await pay(order)
                try scope.start(name: "archive") { await archive(receipt) }
            }
        }
        // end
        #expect(archived.values.sorted() == [30, 50])
    }

    @Test func `a part of a server owns its scope`() async throws {
        let mailroom = Mailroom()
        let delivered = Event()
        try mailroom.post(Letter(arrival: delivered))
        await mailroom.shutdown()
        #expect(delivered.hasHappened)
        #expect(throws: TaskFlowError.scopeEnded) { try mailroom.post(Letter(arrival: delivered)) }
    }

    @Test func `blocking work has its own threads`() async throws {
        @Sendable func digest(of file: String) throws -> Int { file.utf8.count }
        // snippet: Owning.threads
        let digests = try await withThreadExecutor(name: "digest", threads: 2) { executor in
            try await withConcurrentResults(of: files, limit: 2) { file in
                try await executor.run { try digest(of: file) }
            } body: { results in
                var digests: [String: Int] = [:]
                for await result in results { digests[result.input] = try result.result.get() }
                return digests
            }
        }
        // end
        #expect(digests == ["a": 1, "bb": 2])
    }
}

// snippet: Owning.owner
final class Mailroom: Sendable {
    private let scope = TaskScope()

    func post(_ letter: Letter) throws {
        try scope.start { await deliver(letter) }
    }

    func shutdown() async {
        await scope.end(.drain)
    }
}
// end

struct Letter: Sendable {
    let arrival: Event
}

private func deliver(_ letter: Letter) async {
    letter.arrival.signal()
}
