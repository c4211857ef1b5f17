/// The owner of tasks that outlive the call that started them.
///
/// Some work must not end with the caller that began it: a flight that others have joined, the children of a sequence
/// whose loop was left. Such work is started in a scope, and the end of the scope cancels and awaits it. Nothing is
/// ever left behind. Get one from `withTaskScope`.
public final class TaskScope: Sendable {
    /// What the end of a scope does with the tasks that still run.
    public enum Ending: Sendable {
        /// Cancels them, then waits for them.
        case cancel
        /// Waits for them; a cancelled owner still cancels them.
        case drain
    }

    private let executor: (any TaskExecutor)?
    private let state = Guarded(ScopeState())

    /// Creates an open scope; whoever creates one calls `end(_:)`.
    ///
    /// - Parameter executor: Where tasks run that name no executor of their own; the global pool when `nil`.
    public init(executor: (any TaskExecutor)? = nil) {
        self.executor = executor
    }

    /// The number of tasks that have not ended.
    public var activeCount: Int { state.withLock { $0.entries.count } }

    /// Starts an operation that the scope cancels and awaits at its end.
    ///
    /// The task sees the task-local values of the caller. What `operation` captured is let go before the scope counts it
    /// as ended.
    ///
    /// - Parameters:
    ///   - name: The task's name, shown by debuggers and traces.
    ///   - priority: The priority of the task; that of the caller when `nil`.
    ///   - executor: Where it runs; where the scope says when `nil`.
    ///   - operation: The work.
    /// - Returns: A handle to cancel this one task.
    /// - Throws: `TaskScopeEnded` when the scope has been cancelled or ended; then nothing was started.
    @discardableResult
    public func start(
        name: String? = nil,
        priority: TaskPriority? = nil,
        executor: (any TaskExecutor)? = nil,
        operation: @escaping @Sendable () async -> Void
    ) throws(TaskScopeEnded) -> ScopedTask {
        guard let id = state.withLock({ $0.admit() }) else { throw TaskScopeEnded() }
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

    /// Refuses new tasks, cancels the running ones unless told to drain them, and returns when the last has ended.
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

    /// Takes the work out and drops it when done, so that `finish` is called with nothing of it alive.
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
///   - ending: What happens to running tasks when `body` returns. When it throws, they are cancelled.
///   - executor: Where tasks run that name no executor of their own; the global pool when `nil`.
///   - body: Uses the scope; it may hand it on, because a scope that has ended refuses to start anything.
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
    /// A second call changes nothing.
    public func cancel() {
        task.cancel()
    }

    /// Raises the task's priority, if it is lower.
    public func escalate(to priority: TaskPriority) {
        task.escalatePriority(to: priority)
    }
}

/// A task was started in a scope that had been cancelled or had ended.
public struct TaskScopeEnded: Error, Hashable, Sendable, CustomStringConvertible {
    /// Creates the error.
    public init() {}

    /// What happened, for people.
    public var description: String { "the scope that owns this work has ended" }
}

/// Which tasks a scope has, and whether it takes more.
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

    /// Keeps the task, unless it has ended already; true when it is to be cancelled at once.
    mutating func attach(_ task: Task<Void, Never>, to id: UInt64) -> Bool {
        if entries[id] != nil { entries[id] = .running(task) }
        return isCancelled
    }

    /// The tasks to cancel now, the oldest first; none when that was done before.
    mutating func cancel() -> [Task<Void, Never>] {
        isOpen = false
        guard !isCancelled else { return [] }
        isCancelled = true
        return entries.sorted { $0.key < $1.key }.compactMap { _, entry in
            if case .running(let task) = entry { task } else { nil }
        }
    }

    /// Keeps the waiter until the last task has ended; true when that is so already.
    mutating func close(_ waiter: CheckedContinuation<Void, Never>) -> Bool {
        isOpen = false
        guard !entries.isEmpty else { return true }
        endWaiters.append(waiter)
        return false
    }

    /// The waiters to resume, when this was the last task of a closed scope.
    mutating func remove(_ id: UInt64) -> [CheckedContinuation<Void, Never>] {
        entries[id] = nil
        guard entries.isEmpty else { return [] }
        defer { endWaiters = [] }
        return endWaiters
    }
}
