import TaskFlow
import TaskFlowTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct InlineExecutorTests {
    private let executor = InlineExecutor.shared

    @Test func `a task runs on the thread that starts it until it waits`() async {
        let latch = Latch<Void>()
        let steps = Recorder<String>()
        await withTaskScope { scope in
            executor.lendingThread {
                _ = try? scope.start(executor: executor) {
                    steps.record("began")
                    await latch.waitUncancelled()
                    steps.record("went on")
                }
                steps.record("returned")
            }
            #expect(steps.values == ["began", "returned"])
            latch.set(())
        }
    }

    @Test func `the call that starts a task may cancel it`() async throws {
        let steps = Recorder<String>()
        await withTaskScope { scope in
            executor.lendingThread {
                let task = try? scope.start(executor: executor) {
                    do { try await Latch<Void>().wait() } catch { steps.record("cancelled") }
                }
                task?.cancel()
            }
        }
        #expect(steps.values == ["cancelled"])
    }

    @Test func `a task of a scope that is cancelled already may end at once`() async {
        for _ in 0..<200 {
            let scope = TaskScope()
            async let cancelled: Void = scope.cancelAll()
            executor.lendingThread {
                _ = try? scope.start(executor: executor) { _ = try? await Latch<Void>().wait() }
            }
            await cancelled
            await scope.end()
        }
    }
}
