import TaskFlow
import TaskFlowTesting
import Testing

/// Whoever gives a scope a manual executor decides when anything that the scope owns takes a step.
@Suite(.timeLimit(.minutes(1))) struct ScopeExecutorTests {
    private let executor = ManualExecutor()
    /// For each step that was recorded, whether it was on `executor`.
    private let steps = Recorder<Bool>()

    private func recordStep() {
        let current = unsafe withUnsafeCurrentTask { unsafe $0?.unownedTaskExecutor }
        let own = unsafe executor.asUnownedTaskExecutor()
        steps.record(unsafe current == own)
    }

    @Test func `a task that names no executor runs where the scope says`() async throws {
        let scope = TaskScope(executor: executor)
        try scope.start { recordStep() }
        #expect(steps.count == 0)
        #expect(executor.queuedCount == 1)
        executor.runUntilIdle()
        #expect(steps.values == [true])
        #expect(scope.activeCount == 0)
        await scope.end()
    }

    @Test func `a task that names an executor runs there`() async throws {
        let other = ManualExecutor()
        let scope = TaskScope(executor: other)
        try scope.start(executor: executor) { recordStep() }
        #expect(other.queuedCount == 0)
        executor.runUntilIdle()
        #expect(steps.values == [true])
        await scope.end()
    }

    @Test func `a flight runs where the scope says`() async throws {
        let scope = TaskScope(executor: executor)
        let flights = Coalescer<Int, Int>(scope: scope)
        let load = Task(executorPreference: executor) {
            try await flights.value(for: 1) { _ in
                recordStep()
                return 7
            }
        }
        executor.runUntilIdle()
        #expect(flights.flightCount == 0)
        #expect(try await load.value == 7)
        #expect(steps.values == [true])
        await scope.end()
    }

    @Test func `the driver of an iteration and its children run where the scope says`() async {
        let ended = Event()
        let reader = Task(executorPreference: executor) {
            await withTaskScope(executor: executor) { scope in
                let inputs = AsyncStream(unfolding: InputReader(steps: recordStep).next)
                let results = inputs.concurrentResults(limit: 2, in: scope, name: "child") { _ in recordStep()
                }
                for await _ in results {}
            }
            ended.signal()
        }
        executor.runUntilIdle()
        #expect(ended.hasHappened)
        #expect(steps.values == Array(repeating: true, count: 7))
        await reader.value
    }

    @Test func `an iteration in its own scope runs on the executor it was given`() async {
        let ended = Event()
        let reader = Task(executorPreference: executor) {
            await withConcurrentResults(
                of: AsyncStream(unfolding: InputReader(steps: recordStep).next),
                limit: 2,
                executor: executor,
                operation: { _ in recordStep() },
                body: { results in for await _ in results {} }
            )
            ended.signal()
        }
        executor.runUntilIdle()
        #expect(ended.hasHappened)
        #expect(steps.values == Array(repeating: true, count: 7))
        await reader.value
    }
}

/// Gives 1, 2, 3 and reports each of the four steps that this takes.
private final class InputReader: Sendable {
    private let steps: @Sendable () -> Void
    private let last = Guarded(0)

    init(steps: @escaping @Sendable () -> Void) {
        self.steps = steps
    }

    func next() async -> Int? {
        steps()
        let number = last.withLock { last in
            last += 1
            return last
        }
        return number <= 3 ? number : nil
    }
}
