internal import TaskFlow

/// The entries of a list between being read and being ended: which one may begin, without locks.
///
/// Entries that wait are values; only those that have begun have a task. At most a share of those that have
/// begun belongs to one host, so that a busy or dead host does not delay the others.
struct EntryQueue {
    private struct Host {
        var waiting = FIFO<ListItem>()
        var begun = 0
        /// Whether its first entry may begin.
        var isReady = false
    }

    /// A host whose first entry may begin.
    private struct Ready {
        let index: Int
        let host: String
    }

    /// Maximum number of entries that have been read and have not ended.
    private let limit: Int
    private let perHost: Int
    /// Whether an entry counts as ended only when all before it have ended.
    private let inOrder: Bool
    private var hosts: [String: Host] = [:]
    /// Sorted by the indices of the entries, the first entry of the list last.
    private var ready: [Ready] = []
    private var readCount = 0
    private var waitingCount = 0
    /// Number of entries that no longer count: all ended ones, or those before the first that has not ended.
    private var doneCount = 0
    /// The positions of ended entries that others precede; only if they count in order.
    private var endedAhead: Set<Int> = []

    /// Creates an empty queue; the list's positions begin at 0.
    init(limit: Int, perHost: Int, inOrder: Bool) {
        self.limit = max(limit, 1)
        self.perHost = max(perHost, 1)
        self.inOrder = inOrder
    }

    /// Whether another entry may be read.
    var hasRoom: Bool { readCount - doneCount < limit }
    /// Whether no entry waits.
    var isEmpty: Bool { waitingCount == 0 }
    /// Number of hosts that have entries here.
    var hostCount: Int { hosts.count }

    /// Adds the next entry of the list.
    mutating func add(_ item: ListItem) {
        readCount += 1
        waitingCount += 1
        let name = Self.host(of: item.url)
        hosts[name, default: Host()].waiting.append(item)
        offer(name)
    }

    /// Passes over the next entry of the list, which needs nothing.
    mutating func skip(_ item: ListItem) {
        readCount += 1
        settle(item)
    }

    /// Begins the first entry of the list that may begin; `nil` if none may.
    mutating func next() -> ListItem? {
        guard let name = ready.popLast()?.host, let item = hosts[name]?.waiting.popFirst() else { return nil }
        waitingCount -= 1
        hosts[name]?.begun += 1
        hosts[name]?.isReady = false
        offer(name)
        return item
    }

    /// Ends an entry that had begun.
    mutating func end(_ item: ListItem) {
        let name = Self.host(of: item.url)
        hosts[name]?.begun -= 1
        offer(name)
        if let host = hosts[name], host.begun == 0, host.waiting.isEmpty { hosts[name] = nil }
        settle(item)
    }

    /// Counts an entry as ended, if need be when all before it have ended.
    private mutating func settle(_ item: ListItem) {
        guard inOrder else { return doneCount += 1 }
        endedAhead.insert(item.index)
        while endedAhead.remove(doneCount) != nil { doneCount += 1 }
    }

    private mutating func offer(_ name: String) {
        guard let host = hosts[name], !host.isReady, host.begun < perHost, let first = host.waiting.first
        else { return }
        hosts[name]?.isReady = true
        var (low, high) = (0, ready.count)
        while low < high {
            let middle = (low + high) / 2
            if ready[middle].index > first.index { low = middle + 1 } else { high = middle }
        }
        ready.insert(Ready(index: first.index, host: name), at: low)
    }

    /// Returns the host and port of `url`, or nothing if it names none.
    static func host(of url: String) -> String {
        let bytes = url.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8)
        else { return "" }
        let ends = [UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")]
        var authority = bytes[colon...].dropFirst(3).prefix { !ends.contains($0) }
        if let at = authority.lastIndex(of: UInt8(ascii: "@")) { authority = authority[at...].dropFirst() }
        return Substring(authority).lowercased()
    }
}

/// The entries of a list that wait to be loaded, for one reader of the list and one caller that begins them.
///
/// As a sequence it returns the entries that may begin; end each one with ``end(_:)``.
final class WaitingEntries: AsyncSequence, Sendable {
    typealias Element = ListItem
    typealias Failure = Never

    struct Iterator: AsyncIteratorProtocol {
        let entries: WaitingEntries

        mutating func next() async -> ListItem? { await entries.next() }

        mutating func next(isolation actor: isolated (any Actor)?) async -> ListItem? {
            await entries.next()
        }
    }

    private struct State {
        var queue: EntryQueue
        /// Whether the list has ended.
        var isComplete = false
        /// Whether nothing more may begin.
        var isClosed = false
        var reader: CheckedContinuation<Bool, Never>?
        var taker: CheckedContinuation<ListItem?, Never>?

        /// Returns what the caller gets that begins entries; `nil` to wait.
        mutating func answer() -> ListItem?? {
            if isClosed { return .some(nil) }
            if let item = queue.next() { return item }
            return isComplete && queue.isEmpty ? .some(nil) : nil
        }
    }

    private let state: Guarded<State>

    init(_ queue: EntryQueue) {
        state = Guarded(State(queue: queue))
    }

    func makeAsyncIterator() -> Iterator {
        Iterator(entries: self)
    }

    /// Reads the list as far as there is room, until its end or a cancellation.
    ///
    /// - Parameters:
    ///   - list: The list.
    ///   - needsNothing: Whether an entry has been handled before.
    func fill(
        from list: some ListReading,
        except needsNothing: (ListItem) async -> Bool = { _ in false }
    ) async {
        await withTaskCancellationHandler {
            // The reader throws only if it is cancelled.
            while await hasRoom(), let item = try? await list.next() {
                let isSkipped = await needsNothing(item)
                update { isSkipped ? $0.queue.skip(item) : $0.queue.add(item) }
            }
            update { $0.isComplete = true }
        } onCancel: {
            close()
        }
    }

    /// Ends an entry, which makes room for others.
    func end(_ item: ListItem) {
        update { $0.queue.end(item) }
    }

    private func next() async -> ListItem? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { taker in update { $0.taker = taker } }
        } onCancel: {
            close()
        }
    }

    private func hasRoom() async -> Bool {
        await withCheckedContinuation { reader in update { $0.reader = reader } }
    }

    private func close() {
        update { $0.isClosed = true }
    }

    /// Changes the state, and then wakes those that waited for the change.
    private func update(_ change: (inout State) -> Void) {
        let (reader, hasRoom, taker, item) = state.withLock { state in
            change(&state)
            let mayRead = state.isClosed || state.queue.hasRoom
            let reader = mayRead ? state.reader.take() : nil
            guard state.taker != nil, let item = state.answer() else {
                return (
                    reader, !state.isClosed, nil as CheckedContinuation<ListItem?, Never>?, nil as ListItem?
                )
            }
            return (reader, !state.isClosed, state.taker.take(), item)
        }
        taker?.resume(returning: item)
        reader?.resume(returning: hasRoom)
    }
}
