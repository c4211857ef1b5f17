/// Calls code that answers through a callback, and waits for the answer.
///
/// ```swift
/// let picture = try await withCallback(of: Picture.self) { callback in
///     let request = loader.load(url) { result in callback.finish(with: result) }
///     callback.onCancel { _ in request.cancel() }
/// }
/// ```
///
/// The call ends exactly once, whether the answer comes before `start` returns, on another thread or together with a
/// cancellation. A second answer is reported to `JobMisuse.handler` and ignored.
///
/// - Parameters:
///   - output: What the callback brings; `Void.self` if nothing.
///   - cancellation: What a cancelled task does; it waits for the callback, then throws, unless told otherwise.
///   - fileID: The file that messages about misuse name.
///   - line: The line that they name.
///   - start: Starts the work and returns without waiting. Not called when the task is cancelled already.
/// - Returns: What the callback brought.
/// - Throws: what the controller was failed with; `JobAbandoned` when it was let go before an answer;
///   `CancellationError` when the task was cancelled, as `cancellation` says.
public func withCallback<Output: Sendable>(
    of output: Output.Type = Output.self,
    cancellation: CallbackCancellation = .throwsAfterCallback,
    fileID: String = #fileID,
    line: Int = #line,
    _ start: (JobController<Output>) -> Void
) async throws -> Output {
    try Task.checkCancellation()
    let core = ControllerCore<Output>(cancellation, location: CodeLocation(fileID: fileID, line: line))
    return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
            if let controller = core.begin(continuation) { start(controller) }
        }
    } onCancel: {
        core.cancel()
    }
}

/// What a cancelled task does that waits for a callback.
///
/// In each case the handlers given to `JobController.onCancel(_:)` are called at once.
public enum CallbackCancellation: Hashable, Sendable {
    /// It throws `CancellationError` at once; whatever the callback brings later is let go.
    ///
    /// The work behind the callback may outlive the call: only for work that nobody needs to await.
    case throwsAtOnce
    /// It waits for the callback, then throws `CancellationError`, whatever the callback brought.
    case throwsAfterCallback
    /// It waits for the callback, and returns or throws what that brought.
    case leftToCallback
}

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

/// Which of the calls to a controller decides its outcome: the rules, without locks or continuations.
struct ControllerMachine<Output: Sendable> {
    typealias Outcome = Result<Output, any Error>

    enum Verdict {
        /// The work has this outcome.
        case end(Outcome)
        /// The outcome is known already, which a cancellation excuses.
        case ignore
        /// The outcome is known already, by a mistake of the caller.
        case misuse
    }

    let cancellation: CallbackCancellation
    private(set) var isCancelled = false
    /// Whether the controller was finished or let go.
    private(set) var isAnswered = false

    init(_ cancellation: CallbackCancellation) {
        self.cancellation = cancellation
    }

    /// Whether the outcome is decided.
    var isEnded: Bool { isAnswered || isCancelled && cancellation == .throwsAtOnce }

    /// The callback came.
    mutating func finish(_ outcome: Outcome) -> Verdict {
        let wasEnded = isEnded
        isAnswered = true
        guard !wasEnded else { return isCancelled ? .ignore : .misuse }
        let isOverruled = isCancelled && cancellation != .leftToCallback
        return .end(isOverruled ? .failure(CancellationError()) : outcome)
    }

    /// The controller was let go; the outcome, unless there was one.
    mutating func abandon(at location: CodeLocation) -> Outcome? {
        let wasEnded = isEnded
        isAnswered = true
        guard !wasEnded else { return nil }
        return .failure(isCancelled ? CancellationError() : JobAbandoned(location: location))
    }

    /// The task was cancelled; the outcome, if that decides it.
    mutating func cancel() -> Outcome? {
        guard !isEnded else { return nil }
        isCancelled = true
        return isEnded ? .failure(CancellationError()) : nil
    }
}
