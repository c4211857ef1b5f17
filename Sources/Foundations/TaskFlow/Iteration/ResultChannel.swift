/// Where the reader of a concurrent iteration, its driver and its children meet.
final class ResultChannel<Input: Sendable, Output: Sendable, InputFailure: Error>: Sendable {
    typealias Window = ResultWindow<Input, Output, InputFailure>

    private struct State {
        var window: Window
        var readers = FIFO<CheckedContinuation<Window.Next, Never>>()
        var driver: CheckedContinuation<Int?, Never>?
        var task: ScopedTask?
    }

    /// The actions to take outside the lock after a change.
    private struct Wakeup {
        var reader: (CheckedContinuation<Window.Next, Never>, Window.Next)?
        var driver: (CheckedContinuation<Int?, Never>, Int?)?
        var cancelled: ScopedTask?
    }

    private let state: Guarded<State>

    init(_ window: Window) {
        state = Guarded(State(window: window))
    }

    /// Returns the next event for the reader, never `.wait`.
    func next() async -> Window.Next {
        await withCheckedContinuation { reader in
            update { state in
                state.window.demand()
                state.readers.append(reader)
            }
        }
    }

    /// Returns the index of the next input when there is room for it; nil when nothing more may start.
    func reserve() async -> Int? {
        await withCheckedContinuation { driver in
            update { $0.driver = driver }
        }
    }

    func finish(_ element: Window.Element) {
        update { $0.window.finish(element) }
    }

    func endInput(_ error: InputFailure? = nil) {
        update { $0.window.endInput(error) }
    }

    /// Stops new work and cancels the running operations.
    func stop() {
        update { $0.window.stop() }
    }

    /// Stores the task that drives the iteration, to cancel it when the iteration stops.
    func attach(_ task: ScopedTask) {
        update { $0.task = task }
    }

    /// Changes the state and wakes those that the change affects, until nothing more follows.
    private func update(_ change: (inout State) -> Void) {
        var wakeup = state.withLock { state in
            change(&state)
            return Self.wakeup(&state)
        }
        while let current = wakeup {
            current.reader.map { $0.resume(returning: $1) }
            current.driver.map { $0.resume(returning: $1) }
            current.cancelled?.cancel()
            wakeup = state.withLock { Self.wakeup(&$0) }
        }
    }

    private static func wakeup(_ state: inout State) -> Wakeup? {
        var wakeup = Wakeup()
        wakeup.reader = answerReader(&state)
        wakeup.driver = answerDriver(&state)
        if state.window.isStopped { wakeup.cancelled = state.task.take() }
        let isNeeded = wakeup.reader != nil || wakeup.driver != nil || wakeup.cancelled != nil
        return isNeeded ? wakeup : nil
    }

    private static func answerReader(
        _ state: inout State
    ) -> (CheckedContinuation<Window.Next, Never>, Window.Next)? {
        guard !state.readers.isEmpty else { return nil }
        let next = state.window.next()
        if case .wait = next { return nil }
        return state.readers.popFirst().map { ($0, next) }
    }

    private static func answerDriver(_ state: inout State) -> (CheckedContinuation<Int?, Never>, Int?)? {
        guard state.driver != nil else { return nil }
        let index = state.window.reserve()
        guard index != nil || state.window.isStopped else { return nil }
        return state.driver.take().map { ($0, index) }
    }
}
