/// What a controller and the task that waits for it share.
///
/// It holds the controller weakly, so that the controller dies when the code that was given it lets go.
final class ControllerCore<Output: Sendable>: Sendable {
    typealias Handler = @Sendable (JobController<Output>) -> Void
    private typealias Waiter = CheckedContinuation<Output, any Error>

    private struct State {
        var machine: ControllerMachine<Output>
        var waiter: Waiter?
        weak var controller: JobController<Output>?
        var handlers: [Handler] = []

        mutating func takeWaiter() -> Waiter? {
            defer { waiter = nil }
            return waiter
        }

        /// Taken rather than removed, so that what they captured is freed outside the lock.
        mutating func takeHandlers() -> [Handler] {
            defer { handlers = [] }
            return handlers
        }
    }

    private let location: CodeLocation
    private let reportMisuse = JobMisuse.handler
    private let state: Guarded<State>

    init(_ cancellation: CallbackCancellation, location: CodeLocation) {
        self.location = location
        state = Guarded(State(machine: ControllerMachine(cancellation)))
    }

    var isCancelled: Bool { state.withLock { $0.machine.isCancelled } }

    /// Keeps the waiter and makes the controller; nil when the task was cancelled before.
    func begin(_ waiter: CheckedContinuation<Output, any Error>) -> JobController<Output>? {
        let controller = JobController(core: self)
        let isCancelled = state.withLock { state in
            guard !state.machine.isCancelled else { return true }
            state.waiter = waiter
            state.controller = controller
            return false
        }
        guard isCancelled else { return controller }
        waiter.resume(throwing: CancellationError())
        return nil
    }

    func finish(_ outcome: Result<Output, any Error>) {
        let (verdict, waiter, handlers) = state.withLock { state in
            (state.machine.finish(outcome), state.takeWaiter(), state.takeHandlers())
        }
        switch verdict {
        case .end(let outcome): waiter?.resume(with: outcome)
        case .ignore: break
        case .misuse: reportMisuse(JobMisuse(location: location))
        }
        withExtendedLifetime(handlers) {}
    }

    func abandon() {
        let (outcome, waiter, handlers) = state.withLock { state in
            (state.machine.abandon(at: location), state.takeWaiter(), state.takeHandlers())
        }
        if let outcome { waiter?.resume(with: outcome) }
        withExtendedLifetime(handlers) {}
    }

    func cancel() {
        let (outcome, waiter, handlers, controller) = state.withLock { state in
            let outcome = state.machine.cancel()
            let waiter = outcome == nil ? nil : state.takeWaiter()
            return (outcome, waiter, state.takeHandlers(), state.controller)
        }
        if let controller { for handler in handlers { handler(controller) } }
        if let outcome { waiter?.resume(with: outcome) }
    }

    /// Keeps the handler, or calls it now when the cancellation came first.
    func onCancel(_ controller: JobController<Output>, _ handler: @escaping Handler) {
        let isDue = state.withLock { state in
            guard !state.machine.isAnswered else { return false }
            if !state.machine.isCancelled { state.handlers.append(handler) }
            return state.machine.isCancelled
        }
        if isDue { handler(controller) }
    }
}
