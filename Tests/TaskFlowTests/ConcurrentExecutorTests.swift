import TaskFlow
import TaskFlowTesting
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ConcurrentExecutorTests {
    @Test(arguments: [nil, "load"])
    func `the children run where the scope says, named or not`(name: String?) async throws {
        let executor = ManualExecutor()
        let places = Recorder<Bool>()
        let task = Task(executorPreference: executor) {
            await withTaskScope(executor: executor) { scope in
                let results = (0..<4).concurrentResults(limit: 2, in: scope, name: name) { _ in
                    places.record(executor.isCurrent)
                    await Task.yield()
                    places.record(executor.isCurrent)
                }
                for await _ in results {}
            }
        }
        executor.runUntilIdle()
        await task.value
        #expect(places.values == [Bool](repeating: true, count: 8))
        #expect(!executor.isCurrent)
    }
}
