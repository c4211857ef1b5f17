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
