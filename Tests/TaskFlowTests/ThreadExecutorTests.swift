import CalotypePlatform
import TaskFlow
import TaskFlowTesting
import Testing

/// The name that the kernel has for the calling thread.
func threadName() -> String {
    var buffer = [UInt8](repeating: 0, count: 32)
    let file = unsafe open("/proc/thread-self/comm", O_RDONLY)
    guard file >= 0 else { return "" }
    defer { close(file) }
    let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
    return String(decoding: buffer.prefix(max(count - 1, 0)), as: UTF8.self)
}

@Suite(.timeLimit(.minutes(1))) struct ThreadExecutorTests {
    @Test func `tasks that prefer it run on its threads, after a suspension too`() async throws {
        try await withThreadExecutor(name: "decode", threads: 2) { executor in
            await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<20 {
                    group.addTask(executorPreference: executor) {
                        let before = threadName()
                        await Task.yield()
                        return before.hasPrefix("decode ") && threadName().hasPrefix("decode ")
                    }
                }
                for await isRight in group { #expect(isRight) }
            }
            #expect(executor.liveThreadCount == 2)
            #expect(executor.queuedCount == 0)
        }
    }

    @Test func `it returns only after its threads have ended, also by an error`() async throws {
        var executors: [ThreadExecutor] = []
        try await withThreadExecutor(name: "short", threads: 3) { executors.append($0) }
        await #expect(throws: Failure.self) {
            try await withThreadExecutor(name: "short", threads: 3) { executor in
                executors.append(executor)
                throw Failure()
            }
        }
        #expect(executors.map(\.liveThreadCount) == [0, 0])
    }

    @Test func `nothing runs before the start, and then in order of arrival`() async throws {
        let executor = ThreadExecutor(name: "fifo", threads: 1)
        let order = Recorder<Int>()
        #expect(executor.liveThreadCount == 0)
        var tasks: [Task<Void, Never>] = []
        for index in 0..<50 { tasks.append(Task(executorPreference: executor) { order.record(index) }) }
        try await waitUntil { executor.queuedCount == 50 }
        #expect(order.count == 0)
        try executor.start()
        try executor.start()
        for task in tasks { await task.value }
        #expect(order.values == Array(0..<50))
        await executor.shutdown()
        await executor.shutdown()
        #expect(executor.liveThreadCount == 0)
    }

    @Test func `a shutdown finishes what is queued, and a late job still runs somewhere`() async throws {
        let executor = ThreadExecutor(name: "drain", threads: 2)
        let ran = Recorder<Int>()
        var tasks: [Task<Void, Never>] = []
        for index in 0..<50 { tasks.append(Task(executorPreference: executor) { ran.record(index) }) }
        try executor.start()
        await executor.shutdown()
        for task in tasks { await task.value }
        await Task(executorPreference: executor) { ran.record(50) }.value
        #expect(ran.count == 51)
    }

    @Test func `a shutdown without a start resumes callers that wait for the start`() async throws {
        let executor = ThreadExecutor(name: "unstarted", threads: 1)
        let task = Task(executorPreference: executor) { 7 }
        try await waitUntil { executor.queuedCount == 1 }
        await executor.shutdown()
        #expect(executor.queuedCount == 0)
        #expect(await task.value == 7)
    }

    @Test func `shutting down from a task of the scope does not hang`() async throws {
        let executor = ThreadExecutor(name: "self", threads: 2)
        try executor.start()
        await Task(executorPreference: executor) { await executor.shutdown() }.value
        #expect(executor.liveThreadCount == 0)
    }

    #if os(Linux)
    @Test func `its threads have the configured niceness`() async throws {
        for niceness in [0, 5] {
            try await withThreadExecutor(name: "nice", threads: 1, niceness: niceness) { executor in
                // Linux has a niceness for each thread; 0 names the calling one.
                let own = await Task(executorPreference: executor) {
                    getpriority(Int32(PRIO_PROCESS.rawValue), 0)
                }.value
                let parent = getpriority(Int32(PRIO_PROCESS.rawValue), id_t(getpid()))
                #expect(own == parent + Int32(niceness))
            }
        }
    }
    #endif
}
