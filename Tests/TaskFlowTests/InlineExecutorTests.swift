import CalotypePlatform
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

    // A child that ends inside the call that cancels it is freed there, and the runtime aborts the process.
    @Test func `the call that starts a task may cancel it, and its children with it`() async {
        for _ in 0..<200 {
            let waiting = Guarded<CheckedContinuation<Void, Never>?>(nil)
            await withTaskScope { scope in
                executor.lendingThread {
                    let task = try? scope.start(executor: executor) {
                        await withTaskGroup(of: Void.self) { group in
                            group.addTask {
                                await withTaskCancellationHandler {
                                    await withCheckedContinuation { waiter in waiting.withLock { $0 = waiter }
                                    }
                                } onCancel: {
                                    waiting.withLock(\.self)?.resume()
                                }
                            }
                        }
                    }
                    while waiting.withLock({ $0 == nil }) { sched_yield() }
                    task?.cancel()
                }
            }
        }
    }
}
