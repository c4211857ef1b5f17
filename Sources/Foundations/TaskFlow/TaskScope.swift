/// The owner of tasks that outlive the call that started them.
///
/// Some work must not end with the caller that started it: a flight that others have joined, or the children
/// of a sequence whose loop was left. Start such work in a scope: the end of the scope cancels and awaits it.
/// Nothing is ever left behind. Get a scope from `withTaskScope`.
public final class TaskScope: Sendable {
    /// What the end of a scope does with the tasks that are still running.
    public enum Ending: Sendable {
        /// Cancels them, then waits for them.
        case cancel
        /// Waits for them; a cancelled owner still cancels them.
        case drain
    }

    private let executor: (any TaskExecutor)?
    private let state = Guarded(ScopeState())

    /// Creates an open scope; the code that creates one calls `end(_:)`.
    ///
    /// - Parameter executor: Where tasks run that specify no executor; the global pool when `nil`.
    public init(executor: (any TaskExecutor)? = nil) {
        self.executor = executor
    }

    /// The number of tasks that have not ended.
    public var activeCount: Int { state.withLock { $0.entries.count } }

    /// Starts an operation that the scope cancels and awaits at its end.
    ///
    /// The task sees the task-local values of the caller. What `operation` captured is released before the
    /// scope counts the task as ended.
    ///
    /// - Parameters:
    ///   - name: The task's name, shown by debuggers and traces.
    ///   - priority: The priority of the task; the caller's when `nil`.
    ///   - executor: Where it runs; the executor of the scope when `nil`.
    ///   - operation: The work.
    /// - Returns: A handle to cancel this one task.
    /// - Throws: `scope_ended` when the scope has been cancelled or ended; then nothing is started.
    @discardableResult
    public func start(
        name: String? = nil,
        priority: TaskPriority? = nil,
        executor: (any TaskExecutor)? = nil,
        operation: @escaping @Sendable () async -> Void
    ) throws(TaskFlowError) -> ScopedTask {
        guard let id = state.withLock({ $0.admit() }) else { throw .scopeEnded }
        let work = Guarded<(@Sendable () async -> Void)?>(operation)
        // Owner: this scope, which cancels and awaits it in `end`.
        let task = Task(name: name, executorPreference: executor ?? self.executor, priority: priority) {
            await Self.perform(work)
            self.finish(id)
        }
        if state.withLock({ $0.attach(task, to: id) }) { task.cancel() }
        return ScopedTask(task: task)
    }

    /// Cancels every task and refuses new ones, without waiting.
    public func cancelAll() {
        for task in state.withLock({ $0.cancel() }) { task.cancel() }
    }

    /// Refuses new tasks, and returns when the last running one has ended.
    ///
    /// Cancels the running tasks unless it drains them.
    public func end(_ ending: Ending = .cancel) async {
        if ending == .cancel { cancelAll() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if state.withLock({ $0.close(continuation) }) { continuation.resume() }
            }
        } onCancel: {
            cancelAll()
        }
    }

    /// Runs the work and drops it afterwards, so that `finish` is called when nothing of it is alive.
    private static func perform(_ work: Guarded<(@Sendable () async -> Void)?>) async {
        let operation = work.withLock { work in
            defer { work = nil }
            return work
        }
        await operation?()
    }

    private func finish(_ id: UInt64) {
        for waiter in state.withLock({ $0.remove(id) }) { waiter.resume() }
    }
}

/// Runs `body` with a scope for tasks that outlive their callers, and returns when all of them have ended.
///
/// Cancelling the caller cancels the tasks of the scope too.
///
/// - Parameters:
///   - ending: What happens to running tasks when `body` returns. If it throws, they are cancelled.
///   - executor: Where tasks run that specify no executor; the global pool when `nil`.
///   - body: Uses the scope; it may pass it on, because a scope that has ended refuses to start anything.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws.
public func withTaskScope<Output, Failure: Error>(
    ending: TaskScope.Ending = .cancel,
    executor: (any TaskExecutor)? = nil,
    _ body: (TaskScope) async throws(Failure) -> Output
) async throws(Failure) -> Output {
    let scope = TaskScope(executor: executor)
    let result: Result<Output, Failure> = await withTaskCancellationHandler {
        do throws(Failure) {
            return .success(try await body(scope))
        } catch {
            return .failure(error)
        }
    } onCancel: {
        scope.cancelAll()
    }
    switch result {
    case .success: await scope.end(ending)
    case .failure: await scope.end(.cancel)
    }
    return try result.get()
}

/// A handle on one task of a scope.
public struct ScopedTask: Sendable {
    let task: Task<Void, Never>

    /// Cancels the task; the scope still awaits it.
    ///
    /// A second call does nothing.
    public func cancel() {
        task.cancel()
    }

    /// Raises the task's priority to the given one if it is lower.
    public func escalate(to priority: TaskPriority) {
        task.escalatePriority(to: priority)
    }
}

/// The tasks of a scope, and whether it takes more.
struct ScopeState {
    enum Entry {
        /// The task is being created.
        case starting
        case running(Task<Void, Never>)
    }

    private(set) var entries: [UInt64: Entry] = [:]
    private var lastID: UInt64 = 0
    private var isOpen = true
    private var isCancelled = false
    private var endWaiters: [CheckedContinuation<Void, Never>] = []

    mutating func admit() -> UInt64? {
        guard isOpen else { return nil }
        lastID += 1
        entries[lastID] = .starting
        return lastID
    }

    /// Stores the task unless it has ended already; true if the task must be cancelled now.
    mutating func attach(_ task: Task<Void, Never>, to id: UInt64) -> Bool {
        if entries[id] != nil { entries[id] = .running(task) }
        return isCancelled
    }

    /// Returns the tasks to cancel now, the oldest first; none if that was done before.
    mutating func cancel() -> [Task<Void, Never>] {
        isOpen = false
        guard !isCancelled else { return [] }
        isCancelled = true
        return entries.sorted { $0.key < $1.key }.compactMap { _, entry in
            if case .running(let task) = entry { task } else { nil }
        }
    }

    /// Stores the waiter until the last task has ended; true if it has ended already.
    mutating func close(_ waiter: CheckedContinuation<Void, Never>) -> Bool {
        isOpen = false
        guard !entries.isEmpty else { return true }
        endWaiters.append(waiter)
        return false
    }

    /// Removes a task, and returns the waiters to resume if it was the last of a closed scope.
    mutating func remove(_ id: UInt64) -> [CheckedContinuation<Void, Never>] {
        entries[id] = nil
        guard entries.isEmpty else { return [] }
        defer { endWaiters = [] }
        return endWaiters
    }
}
