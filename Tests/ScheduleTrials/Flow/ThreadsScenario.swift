import TaskFlow
import TaskFlowTesting

extension ScheduleScenario {
    static let threads = ScheduleScenario(
        "a thread executor runs all its jobs, and its shutdown waits for the last",
        reaches: [
            "queued before the start", "arrived while it shuts down", "arrived after the shutdown",
            "shut down without a start", "cancelled",
        ],
        program: ThreadsOperation.program
    ) { operations in
        try await ThreadsTrial(operations).run(operations)
    }
}

/// What a random program does with an executor.
enum ThreadsOperation: Sendable, CustomStringConvertible {
    case make(threads: Int)
    case start(pause: Int)
    /// A task that prefers the executor, and takes some steps there.
    case task(id: Int, steps: Int, pause: Int)
    /// Work that blocks.
    case work(id: Int, pause: Int)
    case cancel(id: Int, pause: Int)
    /// Shuts it down, perhaps from one of its own tasks.
    case shutdown(fromWithin: Bool, pause: Int)

    var description: String {
        switch self {
        case .make(let threads): "\(threads) threads"
        case .start: "start"
        case .task(let id, let steps, _): "task \(id), \(steps) steps"
        case .work(let id, _): "work \(id)"
        case .cancel(let id, _): "cancel \(id)"
        case .shutdown(let fromWithin, _): "shut down\(fromWithin ? " from within" : "")"
        }
    }

    /// Whether it is no task or work.
    var isDisturbance: Bool {
        switch self {
        case .make, .task, .work: false
        default: true
        }
    }

    static func program(_ random: inout ScheduleRandom) -> [ThreadsOperation] {
        var operations = [ThreadsOperation.make(threads: random.number(1...3))]
        if !random.oneIn(6) { operations.append(.start(pause: random.oneIn(3) ? random.number(0...3) : 0)) }
        let count = random.number(1...5)
        for id in 1...count {
            let pause = random.number(0...5)
            operations.append(
                random.oneIn(2)
                    ? .work(id: id, pause: pause) : .task(id: id, steps: random.number(0...3), pause: pause)
            )
        }
        if random.oneIn(3) {
            operations.append(.cancel(id: random.number(1...count), pause: random.number(0...5)))
        }
        for _ in 0..<random.number(0...2) {
            operations.append(.shutdown(fromWithin: random.oneIn(3), pause: random.number(0...8)))
        }
        return operations
    }
}

private final class ThreadsTrial: Sendable {
    private struct State {
        var hasStarted = false
        var isEnding = false
        var hasEnded = false
        /// Work that was given to the executor before its end began, and that has not run.
        var queued: Set<Int> = []
        var ran: [Int] = []
    }

    private let executor: ThreadExecutor
    private let findings = Findings()
    private let state = Guarded(State())

    init(_ operations: [ThreadsOperation]) {
        var threads = 1
        for case .make(let count) in operations { threads = count }
        executor = ThreadExecutor(name: "threads", threads: threads)
    }

    func run(_ operations: [ThreadsOperation]) async throws {
        var tasks: [Int: Findings.Party] = [:]
        for operation in operations {
            switch operation {
            case .task(let id, let steps, let delay):
                tasks[id] = findings.start(operation.description) { await self.task(id, steps, delay) }
            case .work(let id, let delay):
                tasks[id] = findings.start(operation.description) { await self.work(id, delay) }
            default: break
            }
        }
        let others = operations.filter(\.isDisturbance).map { operation in
            findings.start(operation.description) { [tasks] in await self.act(operation, tasks) }
        }
        // What nobody starts, nobody may wait for; whoever owns it shuts it down.
        try await findings.wait(for: others)
        await shutDown()
        try await findings.wait(for: tasks.sorted { $0.key < $1.key }.map(\.value))
        let ran = state.withLock(\.ran)
        findings.expect(
            ran.sorted() == tasks.keys.sorted(),
            "ran \(ran), and was given \(tasks.keys.sorted())"
        )
        findings.expect(executor.queuedCount == 0, "\(executor.queuedCount) jobs are left")
        try findings.check()
    }

    private func act(_ operation: ThreadsOperation, _ tasks: [Int: Findings.Party]) async {
        switch operation {
        case .make, .task, .work: return
        case .start(let delay):
            await pause(delay)
            scheduleNote("start")
            if executor.queuedCount > 0 { sometimes("queued before the start") }
            do { try executor.start() } catch { findings.expect(false, "\(error)") }
            state.withLock { $0.hasStarted = true }
        case .cancel(let id, let delay):
            await pause(delay)
            sometimes("cancelled")
            tasks[id]?.cancel()
        case .shutdown(let fromWithin, let delay):
            await pause(delay)
            guard fromWithin else { return await shutDown() }
            // Without a start, nothing on it runs that could shut it down.
            guard state.withLock(\.hasStarted) else { return }
            await Task(name: "own task", executorPreference: executor) { [self] in
                await shutDown(fromWithin: true)
            }.value
        }
    }

    private func shutDown(fromWithin: Bool = false) async {
        scheduleNote("the shutdown begins")
        state.withLock { state in
            if !state.hasStarted { sometimes("shut down without a start") }
            state.isEnding = true
        }
        await executor.shutdown()
        scheduleNote("the shutdown has ended")
        let queued = fromWithin ? 0 : executor.queuedCount
        findings.expect(queued == 0, "shut down with \(queued) jobs left")
        let left = state.withLock { state in
            state.hasEnded = true
            return state.hasStarted ? state.queued : []
        }
        findings.expect(left.isEmpty, "shut down, and work \(left.sorted()) has not run")
    }

    private func task(_ id: Int, _ steps: Int, _ delay: Int) async {
        await pause(delay)
        noteArrival()
        await withTaskExecutorPreference(executor) {
            await pause(steps)
            ran(id)
        }
    }

    private func work(_ id: Int, _ delay: Int) async {
        await pause(delay)
        noteArrival()
        do {
            let output = try await executor.run {
                self.ran(id)
                return id
            }
            findings.expect(output == id, "work \(id) gave \(output)")
        } catch {
            findings.expect(false, "work \(id) failed with \(error)")
        }
    }

    private func noteArrival() {
        state.withLock { state in
            if state.hasEnded {
                sometimes("arrived after the shutdown")
            } else if state.isEnding {
                sometimes("arrived while it shuts down")
            }
        }
    }

    private func ran(_ id: Int) {
        scheduleNote("\(id) runs")
        state.withLock { $0.ran.append(id) }
    }
}
