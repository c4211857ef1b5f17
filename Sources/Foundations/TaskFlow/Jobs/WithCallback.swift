/// Calls code that reports its result through a callback, and waits for the result.
///
/// ```swift
/// let picture = try await withCallback(of: Picture.self) { callback in
///     let request = loader.load(url) { result in callback.finish(with: result) }
///     callback.onCancel { _ in request.cancel() }
/// }
/// ```
///
/// The call ends exactly once, whether the result arrives before `start` returns, on another thread or
/// together with a cancellation. A second result is reported to `JobMisuse.handler` and ignored.
///
/// - Parameters:
///   - output: The type of the result; `Void.self` if there is none.
///   - cancellation: What a cancelled task does; by default it waits for the callback, then throws.
///   - fileID: The file that messages about misuse name.
///   - line: The line that these messages name.
///   - start: Starts the work and returns without waiting. Not called if the task is cancelled already.
/// - Returns: The callback's result.
/// - Throws: The error that the controller was failed with; `job_abandoned` if it was dropped without a
///   result; `CancellationError` if the task was cancelled, as `cancellation` says.
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

/// What a cancelled task does while it waits for a callback.
///
/// In each case the handlers given to `JobController.onCancel(_:)` are called immediately.
public enum CallbackCancellation: Hashable, Sendable {
    /// It throws `CancellationError` immediately; a later result of the callback is dropped.
    ///
    /// The work behind the callback may outlive the call: only for work that nothing needs to await.
    case throwsAtOnce
    /// It waits for the callback, then throws `CancellationError`, whatever the result.
    case throwsAfterCallback
    /// It waits for the callback, and returns or throws its result.
    case leftToCallback
}

/// The state that a controller and its waiting task share.
///
/// It holds the controller weakly, so that the controller dies when the code that received it drops it.
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

        /// Takes the handlers, so that what they captured is freed outside the lock.
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

    /// Stores the waiter and creates the controller; nil if the task was cancelled before.
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

    /// Stores the handler, or calls it now if the task was cancelled before.
    func onCancel(_ controller: JobController<Output>, _ handler: @escaping Handler) {
        let isDue = state.withLock { state in
            guard !state.machine.isAnswered else { return false }
            if !state.machine.isCancelled { state.handlers.append(handler) }
            return state.machine.isCancelled
        }
        if isDue { handler(controller) }
    }
}

/// The rules for which call to a controller decides its outcome, without locks or continuations.
struct ControllerMachine<Output: Sendable> {
    typealias Outcome = Result<Output, any Error>

    enum Verdict {
        /// The work has this outcome.
        case end(Outcome)
        /// The outcome is known already, which a cancellation excuses.
        case ignore
        /// The outcome is known already, because of the caller's mistake.
        case misuse
    }

    let cancellation: CallbackCancellation
    private(set) var isCancelled = false
    /// Whether the controller was finished or dropped.
    private(set) var isAnswered = false

    init(_ cancellation: CallbackCancellation) {
        self.cancellation = cancellation
    }

    /// Whether the outcome is decided.
    var isEnded: Bool { isAnswered || isCancelled && cancellation == .throwsAtOnce }

    /// Records that the callback was called.
    mutating func finish(_ outcome: Outcome) -> Verdict {
        let wasEnded = isEnded
        isAnswered = true
        guard !wasEnded else { return isCancelled ? .ignore : .misuse }
        let isOverruled = isCancelled && cancellation != .leftToCallback
        return .end(isOverruled ? .failure(CancellationError()) : outcome)
    }

    /// Records that the controller was dropped; returns the outcome unless there was one.
    mutating func abandon(at location: CodeLocation) -> Outcome? {
        let wasEnded = isEnded
        isAnswered = true
        guard !wasEnded else { return nil }
        return .failure(isCancelled ? CancellationError() : TaskFlowError.jobAbandoned(at: location))
    }

    /// Records that the task was cancelled; returns the outcome if that decides it.
    mutating func cancel() -> Outcome? {
        guard !isEnded else { return nil }
        isCancelled = true
        return isEnded ? .failure(CancellationError()) : nil
    }
}
