internal import TaskFlow

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

    /// Why the caller that begins entries continues.
    private enum Wake {
        case item(ListItem)
        case end
        /// It must look again at this time, or after a change.
        case wait(until: Duration?)
    }

    private struct State {
        var queue: EntryQueue
        /// The time of the queue; it never goes back.
        var now = Duration.zero
        /// Whether the list has ended.
        var isComplete = false
        /// Whether nothing more may begin.
        var isClosed = false
        var reader: CheckedContinuation<Bool, Never>?
        var taker: CheckedContinuation<Wake, Never>?
        /// When the caller looks again that begins entries; `nil` if it waits for a change.
        var alarm: Duration?
        /// The slowest hosts, and when they were looked for.
        var slowest: (time: Duration, hosts: [HostProgress])?

        /// Returns what the caller gets that begins entries; `nil` to wait.
        mutating func answer() -> Wake? {
            if isClosed { return .end }
            if let item = queue.next(at: now, isComplete: isComplete) { return .item(item) }
            if isComplete && queue.isEmpty { return .end }
            return queue.alarm == alarm ? nil : .wait(until: queue.alarm)
        }
    }

    private let state: Guarded<State>
    private let clock: any Clock<Duration>
    private let stopwatch: Stopwatch

    init(_ queue: EntryQueue, clock: any Clock<Duration> = ContinuousClock()) {
        state = Guarded(State(queue: queue))
        self.clock = clock
        stopwatch = Stopwatch(clock)
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
                update { isSkipped ? $0.queue.skip(item) : $0.queue.add(item, at: $0.now) }
            }
            update { $0.isComplete = true }
        } onCancel: {
            close()
        }
    }

    /// Ends an entry, which makes room for others.
    func end(_ item: ListItem, _ contact: HostContact) {
        update { $0.queue.end(item, contact, at: $0.now) }
    }

    /// Puts an entry back that its host refused, to begin it again; `false` if it must end.
    func putBack(_ item: ListItem, _ trouble: HostTrouble) -> Bool {
        var isBack = false
        update { isBack = $0.queue.putBack(item, trouble, at: $0.now) }
        return isBack
    }

    /// Sets the time between two requests that a host asks for.
    func ask(_ host: String, for delay: Duration) {
        update { $0.queue.ask(host, for: delay) }
    }

    /// Sets what each host may be sent, at most, besides its pace.
    func share(_ shares: HostShares) {
        update { $0.queue.share(shares, at: $0.now) }
    }

    /// Sends a host nothing for some time.
    func block(_ host: String, for time: Duration) {
        update { $0.queue.block(host, until: $0.now + time) }
    }

    /// Returns the hosts with most entries.
    func demand(limit: Int) -> [HostDemand] {
        state.withLock { $0.queue.demand(limit: limit) }
    }

    /// Takes a place at a host; returns how long to wait for it.
    func takePlace(at host: String) -> Duration {
        var wait = Duration.zero
        update { wait = $0.queue.takePlace(at: host, $0.now) }
        return wait
    }

    /// Records the time that a host took for the head of a response.
    func measure(_ host: String, _ time: Duration) {
        update { $0.queue.measure(host, time) }
    }

    /// Lets a host share the limits of others with the same address.
    ///
    /// - Parameters:
    ///   - item: An entry of the host, which has begun and has sent nothing.
    ///   - address: Returns the address of the host; `nil` if it has none.
    /// - Returns: Whether the entry may continue. If not, it waits again.
    /// - Throws: Any error from `address`.
    func join(_ item: ListItem, address: () async throws -> String?) async rethrows -> Bool {
        guard state.withLock({ $0.queue.wantsAddress(of: item) }), let address = try await address() else {
            return true
        }
        var mayContinue = true
        update { mayContinue = $0.queue.join(item, address, at: $0.now) }
        return mayContinue
    }

    /// Returns the three slowest hosts, as they were at most two seconds ago: there may be 100,000 to look at.
    func slowestHosts() -> [HostProgress] {
        state.withLock { state in
            let now = Swift.max(state.now, stopwatch.now)
            if let (time, hosts) = state.slowest, now - time < .seconds(2) { return hosts }
            let hosts = state.queue.slowestHosts(3, at: now)
            state.slowest = (now, hosts)
            return hosts
        }
    }

    private func next() async -> ListItem? {
        await withTaskCancellationHandler {
            var alarm: Duration?
            while true {
                switch await wake(at: alarm) {
                case .item(let item): return item
                case .end: return nil
                case .wait(let time): alarm = time
                }
            }
        } onCancel: {
            close()
        }
    }

    private func wake(at alarm: Duration?) async -> Wake {
        guard let alarm else { return await change(since: nil) }
        return await withTaskGroup(of: Void.self) { group in
            group.addTask { [self] in
                // A cancelled sleep is no longer needed.
                guard (try? await clock.sleep(for: Swift.max(alarm - stopwatch.now, .zero))) != nil else {
                    return
                }
                // The clock may be a little early.
                update { $0.now = Swift.max($0.now, alarm) }
            }
            defer { group.cancelAll() }
            return await change(since: alarm)
        }
    }

    /// Waits until there is an answer, or another alarm than this one.
    private func change(since alarm: Duration?) async -> Wake {
        await withCheckedContinuation { taker in update { ($0.taker, $0.alarm) = (taker, alarm) } }
    }

    private func hasRoom() async -> Bool {
        await withCheckedContinuation { reader in update { $0.reader = reader } }
    }

    private func close() {
        update { $0.isClosed = true }
    }

    /// Changes the state, and then wakes those that waited for the change.
    private func update(_ change: (inout State) -> Void) {
        let (reader, hasRoom, taker, answer) = state.withLock { state in
            state.now = Swift.max(state.now, stopwatch.now)
            change(&state)
            let mayRead = state.isClosed || state.queue.hasRoom
            let reader = mayRead ? state.reader.take() : nil
            let answer = state.taker == nil ? nil : state.answer()
            return (reader, !state.isClosed, answer == nil ? nil : state.taker.take(), answer)
        }
        if let answer { taker?.resume(returning: answer) }
        reader?.resume(returning: hasRoom)
    }
}
