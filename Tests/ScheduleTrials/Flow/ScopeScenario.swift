import TaskFlow
import TaskFlowTesting

extension ScheduleScenario {
    static let scopes = ScheduleScenario(
        "a scope ends when all it started has, and refuses what comes later",
        reaches: [
            "refused", "cancelled before it began", "cancelled", "drained", "a cancelled owner cancels",
            "started by a task of the scope", "one was cancelled", "outlived the body", "the body threw",
        ],
        program: ScopeOperation.program
    ) { operations in
        try await ScopeTrial().run(operations)
    }
}

/// Tells when it is freed.
private final class Captured: Sendable {
    let onEnd: @Sendable () -> Void

    init(onEnd: @escaping @Sendable () -> Void) {
        self.onEnd = onEnd
    }

    deinit {
        onEnd()
    }
}

private final class ScopeTrial: Sendable {
    private struct State {
        /// Those that the scope took and that are not over, with all they captured.
        var alive: Set<Int> = []
        var begun: Set<Int> = []
        var taken = 0
        /// Cancelled one by one.
        var cancelled: Set<Int> = []
        var tasks: [Int: ScopedTask] = [:]
        /// It may refuse.
        var isClosing = false
        /// It must refuse, and its tasks are cancelled.
        var isCancelled = false
        /// An owner was cancelled that waits for the end, or will.
        var mayBeCancelled = false
        var hasEnded = false
    }

    private struct BodyFailed: Error {}

    private let ownScope = TaskScope()
    private let bodyScope = Guarded<TaskScope?>(nil)
    private let findings = Findings()
    private let state = Guarded(State())

    private var scope: TaskScope { bodyScope.withLock(\.self) ?? ownScope }

    func run(_ operations: [ScopeOperation]) async throws {
        let parties = Guarded<[Findings.Party]>([])
        let startAll: @Sendable () -> Void = { [self] in
            let started = operations.filter { if case .body = $0 { false } else { true } }.map { operation in
                findings.start(operation.description) { await self.act(operation) }
            }
            parties.withLock { $0 = started }
        }
        if case .body(let steps, let ending, let fails)? = operations.first {
            let body = findings.start("body") {
                await self.runBody(steps, ending, fails: fails, whileOpen: startAll)
            }
            try await findings.wait(for: [body])
        } else {
            startAll()
        }
        try await findings.wait(for: parties.withLock(\.self))
        await end(.drain)
        let (taken, begun) = state.withLock { ($0.taken, $0.begun.count) }
        findings.expect(taken == begun, "\(taken) tasks were taken, and \(begun) have run")
        try findings.check()
    }

    private func runBody(
        _ steps: Int,
        _ ending: TaskScope.Ending,
        fails: Bool,
        whileOpen startAll: () -> Void
    ) async {
        do {
            try await withTaskScope(ending: ending) { scope in
                bodyScope.withLock { $0 = scope }
                startAll()
                await pause(steps)
                scheduleNote("the body ends")
                state.withLock { state in
                    if !state.alive.isEmpty { sometimes("outlived the body") }
                    state.isClosing = true
                    if fails || ending == .cancel { state.mayBeCancelled = true }
                }
                if fails { throw BodyFailed() }
            }
            findings.expect(!fails, "the error of the body is lost")
        } catch {
            sometimes("the body threw")
            findings.expect(fails && error is BodyFailed, "the body's end failed with \(error)")
        }
        expectEnd()
    }

    private func act(_ operation: ScopeOperation) async {
        switch operation {
        case .body: return
        case .start(let id, let steps, let children, let obeys, let delay):
            await pause(delay)
            start(id, steps, children, obeys)
        case .cancelOne(let id, let delay):
            await pause(delay)
            guard let task = state.withLock({ $0.tasks[id] }) else { return }
            scheduleNote("cancel \(id)")
            sometimes("one was cancelled")
            state.withLock { _ = $0.cancelled.insert(id) }
            task.cancel()
        case .end(let ending, let cancelled, let delay):
            await pause(delay)
            await end(ending, ownerCancelledAfter: cancelled)
        }
    }

    private func end(_ ending: ScopeEnding, ownerCancelledAfter count: Int?) async {
        guard ending != .cancelAll else {
            cancelled()
            return scope.cancelAll()
        }
        let owner = Task(name: "owner") { await end(ending == .drain ? .drain : .cancel) }
        if let count {
            await pause(count)
            state.withLock { $0.mayBeCancelled = true }
            scheduleNote("cancel the owner")
            owner.cancel()
        }
        await owner.value
    }

    private func cancelled() {
        state.withLock { state in
            state.isClosing = true
            state.isCancelled = true
        }
    }

    private func end(_ ending: TaskScope.Ending) async {
        if ending == .cancel { cancelled() } else { state.withLock { $0.isClosing = true } }
        scheduleNote("the end begins")
        await scope.end(ending)
        expectEnd()
    }

    private func expectEnd() {
        scheduleNote("the end has come")
        let (alive, isCancelled) = state.withLock { state in
            state.hasEnded = true
            return (state.alive, state.isCancelled)
        }
        if !isCancelled { sometimes("drained") }
        findings.expect(alive.isEmpty, "the scope has ended, and \(alive.sorted()) are alive")
        findings.expect(scope.activeCount == 0, "the scope has ended and counts \(scope.activeCount) tasks")
    }

    private func start(_ id: Int, _ steps: Int, _ children: Int, _ obeys: Bool) {
        let captured = Captured { [self] in
            state.withLock { _ = $0.alive.remove(id) }
        }
        let (mayRefuse, mustRefuse) = state.withLock { state in
            state.alive.insert(id)
            return (state.isClosing || state.mayBeCancelled, state.isCancelled || state.hasEnded)
        }
        do {
            let task = try scope.start(name: "task \(id)") { [self, captured] in
                await perform(id, steps, children, obeys)
                withExtendedLifetime(captured) {}
            }
            state.withLock { state in
                state.tasks[id] = task
                state.taken += 1
            }
            scheduleNote("started \(id)")
            findings.expect(!mustRefuse, "\(id) was started in a scope that was at its end")
        } catch {
            sometimes("refused")
            scheduleNote("\(id) was refused")
            findings.expect(mayRefuse, "\(id) was refused by an open scope")
        }
    }

    private func perform(_ id: Int, _ steps: Int, _ children: Int, _ obeys: Bool) async {
        state.withLock { _ = $0.begun.insert(id) }
        if Task.isCancelled { sometimes("cancelled before it began") }
        for child in 0..<children {
            sometimes("started by a task of the scope")
            start(id * 10 + child, steps, 0, obeys)
        }
        for _ in 0...steps {
            let (isDue, isPossible) = state.withLock { state in
                let isDue = state.isCancelled || state.cancelled.contains(id)
                return (isDue, isDue || state.mayBeCancelled)
            }
            findings.expect(!Task.isCancelled || isPossible, "\(id) is cancelled, and nobody cancelled it")
            findings.expect(Task.isCancelled || !isDue, "\(id) goes on, and was cancelled")
            if Task.isCancelled { sometimes(isDue ? "cancelled" : "a cancelled owner cancels") }
            if Task.isCancelled, obeys { return }
            await pause(1)
        }
    }
}
