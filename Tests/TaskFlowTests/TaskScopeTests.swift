import TaskFlow
import TaskFlowTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct TaskScopeTests {
    @Test func `the end cancels what runs and returns after it`() async throws {
        let ended = Event()
        let begun = Event()
        let never = Event()
        try await withTaskScope { scope in
            try scope.start(name: "work") {
                #expect(Task.name == "work")
                begun.signal()
                await #expect(throws: CancellationError.self) { try await never.wait() }
                ended.signal()
            }
            try await begun.wait()
            #expect(scope.activeCount == 1)
        }
        #expect(ended.hasHappened)
    }

    @Test func `a draining end waits without cancelling`() async throws {
        let mayEnd = Event()
        let wasCancelled = Recorder<Bool>()
        try await withTaskScope(ending: .drain) { scope in
            try scope.start {
                try? await mayEnd.wait()
                wasCancelled.record(Task.isCancelled)
            }
            try scope.start { mayEnd.signal() }
        }
        #expect(wasCancelled.values == [false])
    }

    @Test func `a scope left by an error cancels, even one that drains`() async throws {
        let ended = Event()
        let never = Event()
        await #expect(throws: Failure.self) {
            try await withTaskScope(ending: .drain) { scope in
                try scope.start {
                    try? await never.wait()
                    ended.signal()
                }
                throw Failure()
            }
        }
        #expect(ended.hasHappened)
    }

    @Test func `cancelling the owner cancels what runs, also while it drains`() async throws {
        let begun = Event()
        let never = Event()
        let owner = Task {
            try await withTaskScope(ending: .drain) { scope in
                _ = try scope.start {
                    begun.signal()
                    try? await never.wait()
                }
            }
        }
        try await begun.wait()
        owner.cancel()
        try await owner.value
    }

    @Test func `a scope that has ended refuses to start anything`() async throws {
        let scope = TaskScope()
        await scope.end()
        await scope.end()
        #expect(throws: TaskFlowError.scopeEnded) { try scope.start { Issue.record("it ran") } }
        #expect(scope.activeCount == 0)
    }

    @Test func `one task can be cancelled without the others, and twice`() async throws {
        let mayEnd = Event()
        let cancelled = Recorder<Int>()
        try await withTaskScope(ending: .drain) { scope in
            let tasks = try (0..<3).map { index in
                try scope.start {
                    try? await mayEnd.wait()
                    if Task.isCancelled { cancelled.record(index) }
                }
            }
            tasks[1].cancel()
            tasks[1].cancel()
            try await cancelled.wait(count: 1)
            mayEnd.signal()
        }
        #expect(cancelled.values == [1])
    }

    @Test func `what a task captured is released before the scope ends`() async throws {
        for _ in 0..<200 {
            let gate = AdmissionGate(capacity: 1)
            let permit = Guarded<Permit?>(try await gate.acquire())
            try await withTaskScope(ending: .drain) { scope in
                let captured = permit.withLock { $0.take() }
                _ = try scope.start { #expect(captured != nil) }
            }
            #expect(gate.snapshot.used == 0)
        }
    }
}
