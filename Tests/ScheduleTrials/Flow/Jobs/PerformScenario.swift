internal import Dispatch
import TaskFlow
import TaskFlowTesting

extension ScheduleScenario {
    static let performing = ScheduleScenario(
        "a job that is performed calls back once, and a scope waits for it",
        reaches: ["refused", "cancelled", "ended", "called back after the scope began to end"],
        program: PerformOperation.program
    ) { operations in
        try await PerformTrial().run(operations)
    }
}

/// What callback code does with jobs.
enum PerformOperation: Sendable, CustomStringConvertible {
    /// Performs a job on its own or in the scope, on a global queue or a serial one.
    case perform(id: Int, steps: Int, inScope: Bool, onSerialQueue: Bool, pause: Int)
    case cancel(id: Int, pause: Int)
    case endScope(ScopeEnding, pause: Int)

    var description: String {
        switch self {
        case .perform(let id, let steps, let inScope, let onSerialQueue, _):
            "perform \(id), \(steps) steps, \(inScope ? "in the scope" : "alone")"
                + (onSerialQueue ? ", on a serial queue" : "")
        case .cancel(let id, _): "cancel \(id)"
        case .endScope(let ending, _): "end the scope: \(ending)"
        }
    }

    static func program(_ random: inout ScheduleRandom) -> [PerformOperation] {
        let count = random.number(1...4)
        var operations = (0..<count).map { id in
            PerformOperation.perform(
                id: id,
                steps: random.number(0...3),
                inScope: !random.oneIn(3),
                onSerialQueue: random.oneIn(2),
                pause: random.number(0...3)
            )
        }
        for _ in 0..<random.number(0...2) {
            operations.append(.cancel(id: random.number(0...count - 1), pause: random.number(0...6)))
        }
        if random.oneIn(2) {
            let ending = ScopeEnding.allCases.randomElement(using: &random) ?? .cancel
            operations.append(.endScope(ending, pause: random.number(0...6)))
        }
        return operations
    }
}

private final class PerformTrial: Sendable {
    private struct State {
        var tokens: [Int: JobToken] = [:]
        /// Those that were performed and whose jobs are under way.
        var running: Set<Int> = []
        var inScope: Set<Int> = []
        /// How often each was called back.
        var calls: [Int: Int] = [:]
        var isClosed = false
        var hasEnded = false
    }

    private let scope = TaskScope()
    private let serial = DispatchQueue(label: "serial")
    private let findings = Findings()
    private let state = Guarded(State())

    func run(_ operations: [PerformOperation]) async throws {
        let tasks = operations.map { operation in
            findings.start(operation.description) { await self.act(operation) }
        }
        try await findings.wait(for: tasks)
        await end(.drain)
        // Those without a scope end after it.
        try await Task.sleep(for: .seconds(1))
        for case .perform(let id, _, _, _, _) in operations {
            let calls = state.withLock { $0.calls[id, default: 0] }
            findings.expect(calls == 1, "job \(id) called back \(calls) times")
        }
        try findings.check()
    }

    private func act(_ operation: PerformOperation) async {
        switch operation {
        case .perform(let id, let steps, let inScope, let onSerialQueue, let delay):
            await pause(delay)
            perform(id, steps, inScope: inScope, on: onSerialQueue ? serial : .global())
        case .cancel(let id, let delay):
            await pause(delay)
            state.withLock { $0.tokens[id] }?.cancel()
        case .endScope(let ending, let delay):
            await pause(delay)
            if ending == .cancelAll {
                state.withLock { $0.isClosed = true }
                scope.cancelAll()
            } else {
                await end(ending == .drain ? .drain : .cancel)
            }
        }
    }

    private func end(_ ending: TaskScope.Ending) async {
        state.withLock { $0.isClosed = true }
        await scope.end(ending)
        let late = state.withLock { state in
            state.hasEnded = true
            return state.inScope.subtracting(state.calls.keys)
        }
        findings.expect(late.isEmpty, "the scope has ended, and jobs \(late.sorted()) have not called back")
    }

    private func perform(_ id: Int, _ steps: Int, inScope: Bool, on queue: DispatchQueue) {
        let job = Job { [self] in
            state.withLock { _ = $0.running.insert(id) }
            defer { state.withLock { _ = $0.running.remove(id) } }
            for _ in 0..<steps {
                await pause(1)
                try Task.checkCancellation()
            }
            return id
        }
        let isOpen = state.withLock { !$0.isClosed }
        let token = job.perform(on: queue, in: inScope ? scope : nil) { [self] in called(id, $0) }
        state.withLock { state in
            state.tokens[id] = token
            if inScope, isOpen { state.inScope.insert(id) }
        }
        findings.expect(state.withLock { $0.calls[id] == nil }, "job \(id) called back within the call")
    }

    private func called(_ id: Int, _ result: Result<Int, any Error>) {
        scheduleNote("job \(id) calls back: \(result)")
        switch result {
        case .success(let output):
            sometimes("ended")
            findings.expect(output == id, "job \(id) ended with \(output)")
        case .failure(TaskFlowError.Code.scopeEnded):
            sometimes("refused")
            findings.expect(state.withLock(\.isClosed), "job \(id) was refused by an open scope")
        case .failure(let error):
            sometimes("cancelled")
            findings.expect(error is CancellationError, "job \(id) failed with \(error)")
        }
        let (isRunning, isLate) = state.withLock { state in
            state.calls[id, default: 0] += 1
            if state.isClosed, state.inScope.contains(id) {
                sometimes("called back after the scope began to end")
            }
            return (state.running.contains(id), state.hasEnded && state.inScope.contains(id))
        }
        findings.expect(!isRunning, "job \(id) called back while it runs")
        findings.expect(!isLate, "job \(id) called back after the end of its scope")
    }
}
