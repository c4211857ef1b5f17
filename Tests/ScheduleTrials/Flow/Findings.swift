import TaskFlow
import TaskFlowTesting

/// What a trial has found to be wrong; the first finding ends the trial.
final class Findings: Sendable {
    private struct State {
        var first: ScheduleViolation?
        var hasEnded = false
        var root: CheckedContinuation<Void, any Error>?
    }

    private let state = Guarded(State())

    /// Notes what is wrong unless the condition holds.
    func expect(_ holds: Bool, _ otherwise: @autoclosure () -> String) {
        guard !holds else { return }
        let violation = ScheduleViolation(otherwise())
        scheduleNote("WRONG: \(violation)")
        let root = state.withLock { state in
            state.first = state.first ?? violation
            return state.root.take()
        }
        root?.resume(throwing: violation)
    }

    /// Waits for the tasks, or throws the first finding at once, so that tasks which wait for ever don't hide it.
    func wait(for tasks: [Task<Void, Never>]) async throws {
        let all = Task(name: "last") {
            for task in tasks { await task.value }
            state.withLock { state in
                state.hasEnded = true
                return state.root.take()
            }?.resume()
        }
        try await withCheckedThrowingContinuation { root in
            let isDue = state.withLock { state in
                if state.first == nil, !state.hasEnded { state.root = root }
                return state.root == nil
            }
            if isDue { root.resume() }
        }
        try check()
        await all.value
    }

    /// Throws the first finding.
    func check() throws {
        if let first = state.withLock(\.first) { throw first }
    }
}

/// Lets other tasks go first, if the schedule says so; in fewer steps than `Task.yield()` takes.
func pause(_ count: Int) async {
    for _ in 0..<count {
        await withCheckedContinuation { continuation in
            _ = Task(name: "pause") { continuation.resume() }
        }
    }
}

extension ScheduleRandom {
    mutating func number(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &self) }

    /// True in one of `count` cases.
    mutating func oneIn(_ count: Int) -> Bool { number(1...count) == 1 }

    mutating func priority() -> WorkPriority {
        WorkPriority(rawValue: number(0...4)) ?? .normal
    }
}
