import TaskFlow
import TaskFlowTesting

/// The tasks of a trial, and what it has found to be wrong; the first finding ends the trial.
final class Findings: Sendable {
    /// A task of the trial.
    struct Party: Sendable {
        let id: Int
        private let task: Task<Void, Never>

        init(id: Int, task: Task<Void, Never>) {
            self.id = id
            self.task = task
        }

        func cancel() {
            task.cancel()
        }
    }

    private struct State {
        var first: ScheduleError?
        var lastID = 0
        var running: Set<Int> = []
        /// Those that the root waits for.
        var awaited: Set<Int> = []
        var root: CheckedContinuation<Void, any Error>?

        mutating func rootIfDue() -> CheckedContinuation<Void, any Error>? {
            first != nil || awaited.isDisjoint(with: running) ? root.take() : nil
        }
    }

    private let state = Guarded(State())

    /// Starts a task of the trial.
    func start(_ name: String, _ body: @escaping @Sendable () async -> Void) -> Party {
        let id = state.withLock { state in
            state.lastID += 1
            state.running.insert(state.lastID)
            return state.lastID
        }
        // Owner: the trial, whose root waits for it.
        let task = Task(name: name) { [state] in
            await body()
            let root = state.withLock { state in
                state.running.remove(id)
                return state.rootIfDue()
            }
            root?.resume()
        }
        return Party(id: id, task: task)
    }

    /// Notes what is wrong unless the condition holds.
    func expect(_ holds: Bool, _ otherwise: @autoclosure () -> String) {
        guard !holds else { return }
        let violation = ScheduleError(otherwise())
        scheduleNote("WRONG: \(violation)")
        let root = state.withLock { state in
            state.first = state.first ?? violation
            return state.rootIfDue()
        }
        root?.resume()
    }

    /// Waits for the tasks, or throws the first finding at once, so that tasks which wait for ever don't hide it.
    func wait(for parties: [Party]) async throws {
        try await withCheckedThrowingContinuation { root in
            let due = state.withLock { state in
                state.awaited = Set(parties.map(\.id))
                state.root = root
                return state.rootIfDue()
            }
            due?.resume()
        }
        try check()
    }

    /// Throws the first finding.
    func check() throws {
        if let first = state.withLock(\.first) { throw first }
    }
}

/// Lets other tasks go first, if the schedule says so.
///
/// In a task without a preferred executor, the schedule takes two steps for a call that leaves the caller's isolation, and
/// four for `Task.yield()`.
func pause(_ count: Int) async {
    for _ in 0..<count { await leaveIsolation() }
}

@concurrent
private func leaveIsolation() async {}

extension ScheduleRandom {
    mutating func number(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &self) }

    /// True in one of `count` cases.
    mutating func oneIn(_ count: Int) -> Bool { number(1...count) == 1 }

    mutating func priority() -> WorkPriority {
        WorkPriority(rawValue: number(0...4)) ?? .normal
    }
}
