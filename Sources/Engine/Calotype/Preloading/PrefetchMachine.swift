import CalotypeStore

/// The requests of a prefetcher and the lists that want them: its rules, without locks or tasks.
///
/// One or several lists may want a request, but it is loaded once. When no list wants it any more, it is
/// dropped if it waits, and cancelled if it runs. A cancelled run occupies its place until it ends.
struct PrefetchMachine<Key: Hashable & Sendable>: Sendable {
    typealias ListID = UInt64
    typealias RunID = UInt64

    /// The actions for the shell after a change.
    struct Actions: Sendable {
        var begin: [(run: RunID, key: Key)] = []
        var cancel: [RunID] = []
        var ended: [(list: ListID, summary: PrefetchSummary)] = []
    }

    private struct List {
        var open: Set<Key> = []
        var summary = PrefetchSummary()
    }

    private struct Waiting {
        let place: Int
        var lists: Set<ListID>
    }

    private struct Run {
        let key: Key
        var lists: Set<ListID>
    }

    private let limit: Int
    /// The maximum number of wants at a time.
    ///
    /// A want is a request of a list.
    private let capacity: Int
    private var lists: [ListID: List] = [:]
    private var waiting: [Key: Waiting] = [:]
    /// The waiting keys, by their position in `order`.
    private var keys: [Key?] = []
    private var order = UseOrder()
    private var runs: [RunID: Run] = [:]
    /// The run of each wanted key.
    private var running: [Key: RunID] = [:]
    private var lastID: UInt64 = 0
    private var wantCount = 0
    private(set) var isPaused = false
    private var isClosed = false

    init(limit: Int, capacity: Int) {
        self.limit = limit
        self.capacity = capacity
    }

    var waitingCount: Int { waiting.count }
    /// The runs in progress, including cancelled ones that have not ended.
    var runCount: Int { runs.count }

    /// Whether the run is still wanted.
    func isWanted(_ run: RunID) -> Bool {
        runs[run].map { !$0.lists.isEmpty } ?? false
    }

    mutating func add(_ requests: some Sequence<Key>) -> (list: ListID, actions: Actions) {
        lastID += 1
        let id = lastID
        lists[id] = List()
        var seen: Set<Key> = []
        for key in requests where seen.insert(key).inserted { want(key, id) }
        var actions = Actions()
        if lists[id]?.open.isEmpty ?? true { endList(id, &actions) }
        advance(&actions)
        return (id, actions)
    }

    /// Removes the requests from all lists.
    mutating func stop(_ requests: some Sequence<Key>) -> Actions {
        var actions = Actions()
        for key in requests { drop(key, &actions) }
        advance(&actions)
        return actions
    }

    /// Ends one list.
    ///
    /// Requests that other lists want continue.
    mutating func cancel(_ id: ListID) -> Actions {
        var actions = Actions()
        for key in lists[id]?.open ?? [] { leave(key, id, &actions) }
        advance(&actions)
        return actions
    }

    /// Ends all lists.
    mutating func stopAll() -> Actions {
        stop(Array(waiting.keys) + running.keys)
    }

    /// Ends all lists, permanently.
    mutating func close() -> Actions {
        isClosed = true
        return stopAll()
    }

    mutating func pause() {
        isPaused = true
    }

    mutating func resume() -> Actions {
        isPaused = false
        var actions = Actions()
        advance(&actions)
        return actions
    }

    /// Records that a run has ended, and frees its place.
    mutating func finish(_ id: RunID, _ outcome: PrefetchSummary.Outcome) -> Actions {
        var actions = Actions()
        if let run = runs.removeValue(forKey: id) {
            if running[run.key] == id { running[run.key] = nil }
            for list in run.lists { settle(run.key, list, outcome, &actions) }
        }
        advance(&actions)
        return actions
    }
}

// MARK: - Rules

extension PrefetchMachine {
    private mutating func want(_ key: Key, _ list: ListID) {
        guard !isClosed else { return count(.stopped, list) }
        guard wantCount < capacity else { return count(.refused, list) }
        wantCount += 1
        lists[list]?.open.insert(key)
        if let run = running[key] {
            runs[run]?.lists.insert(list)
        } else if waiting[key] == nil {
            enqueue(key, list)
        } else {
            waiting[key]?.lists.insert(list)
        }
    }

    private mutating func count(_ outcome: PrefetchSummary.Outcome, _ list: ListID) {
        lists[list]?.summary.count(outcome)
    }

    private mutating func enqueue(_ key: Key, _ list: ListID) {
        let place = order.add()
        if place == keys.count { keys.append(key) } else { keys[place] = key }
        waiting[key] = Waiting(place: place, lists: [list])
    }

    private mutating func dequeue(_ key: Key) -> Set<ListID> {
        guard let entry = waiting.removeValue(forKey: key) else { return [] }
        keys[entry.place] = nil
        order.remove(entry.place)
        return entry.lists
    }

    /// Starts the longest-waiting requests while places are free.
    private mutating func advance(_ actions: inout Actions) {
        while !isPaused, runs.count < limit, let place = order.oldest, let key = keys[place] {
            lastID += 1
            runs[lastID] = Run(key: key, lists: dequeue(key))
            running[key] = lastID
            actions.begin.append((lastID, key))
        }
    }

    private mutating func drop(_ key: Key, _ actions: inout Actions) {
        for list in waiting[key]?.lists ?? [] { leave(key, list, &actions) }
        for list in running[key].flatMap({ runs[$0]?.lists }) ?? [] { leave(key, list, &actions) }
    }

    /// Removes the request from one list.
    private mutating func leave(_ key: Key, _ list: ListID, _ actions: inout Actions) {
        if let run = running[key] {
            runs[run]?.lists.remove(list)
            if !isWanted(run) {
                running[key] = nil
                actions.cancel.append(run)
            }
        } else {
            waiting[key]?.lists.remove(list)
            if waiting[key]?.lists.isEmpty ?? false { _ = dequeue(key) }
        }
        settle(key, list, .stopped, &actions)
    }

    private mutating func settle(
        _ key: Key,
        _ list: ListID,
        _ outcome: PrefetchSummary.Outcome,
        _ actions: inout Actions
    ) {
        guard lists[list]?.open.remove(key) != nil else { return }
        wantCount -= 1
        count(outcome, list)
        if lists[list]?.open.isEmpty ?? true { endList(list, &actions) }
    }

    private mutating func endList(_ id: ListID, _ actions: inout Actions) {
        if let list = lists.removeValue(forKey: id) { actions.ended.append((id, list.summary)) }
    }
}
