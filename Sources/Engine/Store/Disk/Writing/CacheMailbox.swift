internal import CalotypeCore
internal import CalotypeDigests
internal import TaskFlow

/// What callers and readers leave for the writer, and the bell that wakes it.
final class CacheMailbox: Sendable {
    /// What the writer waits for.
    enum Need: Sendable {
        case anything
        /// A full batch, or something urgent.
        case fullBatch
        /// Something urgent.
        case urgency
    }

    /// What the writer finds in the mailbox.
    struct Contents: Sendable {
        var commands: [WriterCommand] = []
        var suspicions: [Suspicion] = []
        /// Why the index is no longer usable.
        var damage: String?
        var isEnding = false
        /// The number of waiting changes.
        var changes = 0

        var isUrgent: Bool { isEnding || damage != nil || !commands.isEmpty || !suspicions.isEmpty }
    }

    private struct State {
        var staged: StagedWrites
        let batchCost: Int
        var contents = Contents()
        var waiter: (need: Need, continuation: CheckedContinuation<Void, Never>)?

        func meets(_ need: Need) -> Bool {
            if contents.isUrgent { return true }
            return switch need {
            case .anything: staged.waitingCount > 0
            case .urgency: false
            case .fullBatch: staged.waitingCount >= CacheMailbox.batchCount || staged.waitingCost >= batchCost
            }
        }

        /// Removes the waiting writer, if its need is met.
        mutating func takeWaiter() -> CheckedContinuation<Void, Never>? {
            guard let waiter, meets(waiter.need) else { return nil }
            self.waiter = nil
            return waiter.continuation
        }
    }

    /// The maximum number of changes in one transaction.
    static let batchCount = 64
    /// The maximum number of damaged entries to remember; others are found again.
    private static let suspicionLimit = 256

    private let state: Guarded<State>

    /// Creates an empty mailbox; the changes of one transaction cost up to `batchCost`.
    init(stagingLimit: ByteCount, batchCost: Int) {
        state = Guarded(State(staged: StagedWrites(limit: stagingLimit.bytes), batchCost: batchCost))
    }

    // MARK: Callers and readers

    func look<Output: Sendable>(_ body: (StagedWrites) -> Output) -> Output {
        state.withLock { body($0.staged) }
    }

    /// Changes the staged writes, and wakes the writer if its need is met.
    func change<Output: Sendable>(_ body: (inout StagedWrites) -> Output) -> Output {
        let (output, waiter) = state.withLock { state in
            let output = body(&state.staged)
            return (output, state.takeWaiter())
        }
        waiter?.resume()
        return output
    }

    /// Sends a command to the writer; it is declined if there is no writer.
    func ask(_ command: WriterCommand) {
        let isTaken = tell { contents in
            if contents.isEnding { return false }
            contents.commands.append(command)
            return true
        }
        if !isTaken { command.decline() }
    }

    /// Queues commands again that could not be carried out; a second reply to a command is ignored.
    func putBack(_ commands: [WriterCommand]) {
        tell { $0.commands = commands + $0.commands }
    }

    /// Reports a damaged entry.
    func suspect(_ suspicion: Suspicion) {
        tell { contents in
            guard contents.suspicions.count < Self.suspicionLimit else { return }
            if !contents.suspicions.contains(suspicion) { contents.suspicions.append(suspicion) }
        }
    }

    /// Reports that the index itself is damaged.
    func reportDamage(_ reason: String) {
        tell { $0.damage = $0.damage ?? reason }
    }

    /// Asks the writer to write all staged changes and end.
    func end() {
        tell { $0.isEnding = true }
    }

    var isEnding: Bool { state.withLock { $0.contents.isEnding } }

    @discardableResult
    private func tell<Output: Sendable>(_ body: (inout Contents) -> Output) -> Output {
        let (output, waiter) = state.withLock { state in
            let output = body(&state.contents)
            return (output, state.takeWaiter())
        }
        waiter?.resume()
        return output
    }

    // MARK: The writer

    /// Takes the changes of one transaction, which stay readable until they are finished.
    func takeBatch() -> StagedWrites.Batch {
        state.withLock { $0.staged.take(count: Self.batchCount, cost: $0.batchCost) }
    }

    /// Takes everything that waits for the writer except the changes.
    func takeContents() -> Contents {
        state.withLock { state in
            var contents = state.contents
            contents.changes = state.staged.waitingCount
            state.contents = Contents(isEnding: contents.isEnding)
            return contents
        }
    }

    /// Waits until the writer's need is met, for at most `time`, or without a limit in a cancelled task.
    ///
    /// A cancelled task cannot use a clock, but still writes the staged changes.
    func wait(for need: Need, atMost time: Duration?, clock: any Clock<Duration>) async {
        guard let time, !Task.isCancelled else { return await wait(for: need) }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.waitUnlessCancelled(for: need) }
            // Cancelled when there is something to do.
            group.addTask { _ = try? await clock.sleep(for: time) }
            await group.next()
            group.cancelAll()
        }
    }

    private func waitUnlessCancelled(for need: Need) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { enter($0, need, isCancellable: true) }
        } onCancel: {
            state.withLock { state in
                defer { state.waiter = nil }
                return state.waiter?.continuation
            }?.resume()
        }
    }

    private func wait(for need: Need) async {
        await withCheckedContinuation { enter($0, need, isCancellable: false) }
    }

    private func enter(_ continuation: CheckedContinuation<Void, Never>, _ need: Need, isCancellable: Bool) {
        let isMet = state.withLock { state in
            // Checked under the lock: a cancel before this is seen here, a later one finds the waiter.
            if state.meets(need) || isCancellable && Task.isCancelled { return true }
            state.waiter = (need, continuation)
            return false
        }
        if isMet { continuation.resume() }
    }
}

/// A command to the writer besides writing; it is carried out after all changes that were staged before.
enum WriterCommand: Sendable {
    /// Only report that these changes are done.
    case flush(Latch<Void>)
    case trim(ByteCount, Latch<Void>)
    /// Compare all files with the index now.
    case scan(Latch<ScanCounts>)

    /// Replies without doing anything, for a cache that cannot.
    func decline() {
        switch self {
        case .flush(let done), .trim(_, let done): done.set(())
        case .scan(let done): done.set(ScanCounts())
        }
    }
}

/// The result of comparing the files with the index.
struct ScanCounts: Hashable, Sendable {
    /// The number of files that belong to an entry.
    var known = 0
    /// The number of files whose entry was lost and has been restored.
    var recovered = 0
    /// The number of orphaned files.
    var removed = 0
}
