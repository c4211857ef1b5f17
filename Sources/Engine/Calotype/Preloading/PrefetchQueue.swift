import CalotypeCore
import TaskFlow

/// The shell around a prefetcher's rules.
///
/// It starts and cancels loads, and their tasks hold it instead of the prefetcher.
final class PrefetchQueue: Sendable {
    typealias Machine = PrefetchMachine<ImageRequest>
    typealias Ending = @Sendable (PrefetchSummary) -> Void

    private struct State {
        var machine: Machine
        var tasks: [Machine.RunID: ScopedTask] = [:]
        var endings: [Machine.ListID: Ending] = [:]
    }

    /// The actions to perform after the lock is released.
    private struct Work: Sendable {
        var begin: [(run: Machine.RunID, key: ImageRequest)]
        var cancel: [ScopedTask]
        var ended: [(tell: Ending, summary: PrefetchSummary)]
    }

    /// The priority of all loads, including those in progress.
    let priority: LivePriority
    private let scope: TaskScope
    private let load: @Sendable (ImageRequest, LivePriority) async throws -> Void
    private let state: Guarded<State>

    init(
        scope: TaskScope,
        limit: Int,
        capacity: Int,
        priority: WorkPriority,
        load: @escaping @Sendable (ImageRequest, LivePriority) async throws -> Void
    ) {
        self.scope = scope
        self.load = load
        self.priority = LivePriority(priority)
        state = Guarded(State(machine: Machine(limit: limit, capacity: capacity)))
    }

    var waitingCount: Int { state.withLock { $0.machine.waitingCount } }
    var runCount: Int { state.withLock { $0.machine.runCount } }
    var isPaused: Bool { state.withLock { $0.machine.isPaused } }

    func add(_ requests: [ImageRequest], then ending: @escaping Ending) -> Machine.ListID {
        perform { state in
            let (list, actions) = state.machine.add(requests)
            state.endings[list] = ending
            return (list, actions)
        }
    }

    func stop(_ requests: [ImageRequest]) {
        change { $0.stop(requests) }
    }

    func cancel(_ list: Machine.ListID) {
        change { $0.cancel(list) }
    }

    func stopAll() {
        change { $0.stopAll() }
    }

    /// Stops everything.
    ///
    /// Requests added later end immediately.
    func close() {
        change { $0.close() }
    }

    func pause() {
        state.withLock { $0.machine.pause() }
    }

    func resume() {
        change { $0.resume() }
    }

    func setPriority(_ priority: WorkPriority) {
        self.priority.set(priority)
        for task in state.withLock({ Array($0.tasks.values) }) { task.escalate(to: priority.taskPriority) }
    }
}

// MARK: - Acting

extension PrefetchQueue {
    private func change(_ decide: (inout Machine) -> Machine.Actions) {
        perform { ((), decide(&$0.machine)) }
    }

    /// Decides under the lock, and acts after it.
    private func perform<Output: Sendable>(_ decide: (inout State) -> (Output, Machine.Actions)) -> Output {
        let (output, work) = state.withLock { state in
            let (output, actions) = decide(&state)
            return (output, Self.work(for: actions, &state))
        }
        for task in work.cancel { task.cancel() }
        for (tell, summary) in work.ended { self.tell(tell, summary) }
        for (run, request) in work.begin { begin(run, request) }
        return output
    }

    private static func work(for actions: Machine.Actions, _ state: inout State) -> Work {
        Work(
            begin: actions.begin,
            cancel: actions.cancel.compactMap { state.tasks.removeValue(forKey: $0) },
            ended: actions.ended.compactMap { list, summary in
                state.endings.removeValue(forKey: list).map { ($0, summary) }
            }
        )
    }

    /// Reports the end of a list in a task of its own, so that the call that ended it never reports it.
    private func tell(_ ending: @escaping Ending, _ summary: PrefetchSummary) {
        do {
            try scope.start(name: "prefetch ended") { ending(summary) }
        } catch {
            // No task can be started any more. The end is reported exactly once in any case.
            ending(summary)
        }
    }

    private func begin(_ run: Machine.RunID, _ request: ImageRequest) {
        do {
            // Owner: the scope, which awaits it; this queue cancels it.
            let task = try scope.start(name: "prefetch", priority: priority.current.taskPriority) {
                await self.run(run, request)
            }
            let isWanted = state.withLock { state in
                // It may have ended already, or been stopped before there was a task to cancel.
                guard state.machine.isWanted(run) else { return false }
                state.tasks[run] = task
                return true
            }
            if !isWanted { task.cancel() }
        } catch {
            close()
            finish(run, .stopped)
        }
    }

    private func run(_ run: Machine.RunID, _ request: ImageRequest) async {
        guard state.withLock({ $0.machine.isWanted(run) }) else { return finish(run, .stopped) }
        do {
            try await load(request, priority)
            finish(run, .loaded)
        } catch is CancellationError {
            finish(run, .stopped)
        } catch {
            finish(run, .failed)
        }
    }

    private func finish(_ run: Machine.RunID, _ outcome: PrefetchSummary.Outcome) {
        perform { state in
            state.tasks[run] = nil
            return ((), state.machine.finish(run, outcome))
        }
    }
}
