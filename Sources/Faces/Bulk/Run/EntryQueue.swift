internal import CalotypeCore
internal import TaskFlow

/// The entries of a list between being read and being ended: which one may begin, without locks.
///
/// Entries that wait are values; only those that have begun have a task. At most a share of those that have
/// begun belongs to one host, so that a busy or dead host does not delay the others. With a pace, entries of a
/// host that refuses requests wait here, and those of a host that stays dead are set aside until nothing else
/// is left.
struct EntryQueue {
    private struct Host {
        var waiting = FIFO<ListItem>()
        var begun = 0
        /// Whether it is among those whose first entry may begin now or at some time.
        var isOffered = false
        /// `nil` if requests are not paced.
        var pace: HostPace?
        /// The last refusal.
        var trouble: HostTrouble?
    }

    /// A host whose first entry may begin, or may begin at some time.
    private struct Offer {
        let host: String
        /// The index of the entry, or the time.
        let rank: Int
        let time: Duration
    }

    /// An entry that has begun, or has begun before and waits again.
    private struct Try {
        var mark: HostPace.Mark
        /// Number of times that its host refused it while it served others.
        var refusals = 0
    }

    /// Maximum number of entries that are set aside besides those within ``limit``.
    private static let asideLimit = 100_000
    /// Maximum number of idle hosts whose pace is remembered.
    private static let idleLimit = 10_000

    /// Maximum number of entries that have been read and have not ended.
    private let limit: Int
    private let perHost: Int
    /// Whether an entry counts as ended only when all before it have ended.
    private let inOrder: Bool
    private let policy: PacePolicy?
    private let random: @Sendable (Duration) -> Duration
    /// A host without entries.
    private let newHost: Host
    private var hosts: [String: Host] = [:]
    /// Sorted by the indices of the entries, the first entry of the list last.
    private var ready: [Offer] = []
    /// Sorted by time, the next one last.
    private var later: [Offer] = []
    /// Hosts that are set aside, in the order in which that happened.
    private var aside: [String] = []
    private var asideCount = 0
    /// Entries of hosts that were given up.
    private var condemned = FIFO<ListItem>()
    private var tries: [Int: Try] = [:]
    private var readCount = 0
    private var waitingCount = 0
    private var begunCount = 0
    /// Number of entries that no longer count: all ended ones, or those before the first that has not ended.
    private var doneCount = 0
    /// The positions of ended entries that others precede; only if they count in order.
    private var endedAhead: Set<Int> = []

    /// Creates an empty queue; the list's positions begin at 0.
    init(
        limit: Int,
        perHost: Int,
        inOrder: Bool,
        pace: PacePolicy? = nil,
        random: @escaping @Sendable (Duration) -> Duration = RetryPolicy.fullJitter
    ) {
        self.limit = max(limit, 1)
        self.perHost = max(perHost, 1)
        self.inOrder = inOrder
        policy = pace
        newHost = Host(pace: pace.map { [perHost = self.perHost] in HostPace($0, limit: perHost) })
        self.random = random
    }

    /// Whether another entry may be read.
    var hasRoom: Bool {
        readCount - doneCount - (inOrder ? 0 : min(asideCount, Self.asideLimit)) < limit
    }
    /// Whether no entry waits.
    var isEmpty: Bool { waitingCount == 0 }
    /// Number of hosts that have entries here, or whose pace is remembered.
    var hostCount: Int { hosts.count }
    /// When the next entry may begin, if none may now.
    var alarm: Duration? { later.last?.time }

    /// Adds the next entry of the list.
    mutating func add(_ item: ListItem, at now: Duration = .zero) {
        readCount += 1
        waitingCount += 1
        let name = Self.host(of: item.url)
        hosts[name, default: newHost].waiting.append(item)
        if hosts[name]?.pace?.standing == .aside { asideCount += 1 }
        if hosts[name]?.pace?.standing == .dead { condemn(name) }
        offer(name, now)
    }

    /// Passes over the next entry of the list, which needs nothing.
    mutating func skip(_ item: ListItem) {
        readCount += 1
        settle(item)
    }

    /// Begins the first entry of the list that may begin; `nil` if none may.
    ///
    /// - Parameters:
    ///   - now: The time, which never goes back.
    ///   - isComplete: Whether all entries of the list have been added.
    /// - Returns: The entry; it has a ``ListItem/problem`` if its host was given up.
    mutating func next(at now: Duration = .zero, isComplete: Bool = false) -> ListItem? {
        while let offer = later.last, offer.time <= now {
            later.removeLast()
            hosts[offer.host]?.isOffered = false
            self.offer(offer.host, now)
        }
        if let item = condemned.popFirst() { return begin(item, condemned: true, now) }
        while let name = ready.popLast()?.host {
            hosts[name]?.isOffered = false
            // Its pace may have changed since it was offered.
            if hosts[name].map({ mayBegin($0) && $0.pace?.notBefore ?? now <= now }) != true {
                offer(name, now)
            } else if let item = hosts[name]?.waiting.popFirst() {
                return begin(item, condemned: false, now)
            }
        }
        // Nothing else is left to do, or nothing else can be read.
        guard later.isEmpty, !aside.isEmpty, isComplete || (begunCount == 0 && !hasRoom) else { return nil }
        recall(now)
        return next(at: now, isComplete: isComplete)
    }

    private mutating func begin(_ item: ListItem, condemned: Bool, _ now: Duration) -> ListItem {
        let name = Self.host(of: item.url)
        waitingCount -= 1
        begunCount += 1
        hosts[name, default: newHost].begun += 1
        if !condemned, let mark = hosts[name]?.pace?.mark {
            tries[item.index, default: Try(mark: mark)].mark = mark
            _ = hosts[name]?.pace?.take(at: now)
        }
        offer(name, now)
        return item
    }

    /// Ends an entry that had begun.
    mutating func end(_ item: ListItem, _ contact: HostContact = .none, at now: Duration = .zero) {
        let name = Self.host(of: item.url)
        let hasPlace = tries.removeValue(forKey: item.index) != nil
        switch contact {
        case .answered: succeed(name)
        case .refused: hosts[name]?.pace?.know()
        case .none: if hasPlace { giveBack(name) }
        }
        leave(name, now)
        settle(item)
    }

    /// Counts an entry as ended, if need be when all before it have ended.
    private mutating func settle(_ item: ListItem) {
        guard inOrder else { return doneCount += 1 }
        endedAhead.insert(item.index)
        while endedAhead.remove(doneCount) != nil { doneCount += 1 }
    }

    /// Puts an entry that had begun back, because its host refused it; `false` if it must end.
    ///
    /// It must end if requests are not paced, or if the host has refused it too often while it served others.
    mutating func putBack(_ item: ListItem, _ trouble: HostTrouble, at now: Duration) -> Bool {
        let name = Self.host(of: item.url)
        guard var pace = hosts[name]?.pace, var attempt = tries[item.index] else { return false }
        if trouble.concerns(attempt.mark, pace.mark) { attempt.refusals += 1 }
        pace.refuse(trouble, since: attempt.mark, at: now, random: random)
        tries[item.index] = attempt
        let isOver = attempt.refusals >= trouble.largestCount
        let was = hosts[name]?.pace?.standing
        hosts[name]?.pace = pace
        hosts[name]?.trouble = trouble
        if pace.standing == .aside, was != .aside { setAside(name) }
        if !isOver {
            waitingCount += 1
            // Behind the others, so that one URL which is always refused does not stop its host.
            hosts[name]?.waiting.append(item)
            if pace.standing == .aside { asideCount += 1 }
            leave(name, now)
        }
        if pace.standing == .dead { condemn(name) }
        return !isOver
    }

    /// Sets the time between two requests that a host asks for.
    mutating func ask(_ name: String, for delay: Duration) {
        guard policy != nil else { return }
        hosts[name, default: newHost].pace?.ask(for: delay)
    }

    /// Takes a place at a host for a request that no entry begins with, such as that after a redirect.
    ///
    /// Returns how long to wait for it.
    mutating func takePlace(at name: String, _ now: Duration) -> Duration {
        guard policy != nil else { return .zero }
        return hosts[name, default: newHost].pace?.take(at: now) ?? .zero
    }

    /// Ends the use of a host by an entry.
    private mutating func leave(_ name: String, _ now: Duration) {
        begunCount -= 1
        hosts[name]?.begun -= 1
        offer(name, now)
        guard let host = hosts[name], host.begun == 0, host.waiting.isEmpty else { return }
        if host.pace?.isForgettable(at: now) ?? true { hosts[name] = nil }
        guard hosts.count > limit + Self.idleLimit else { return }
        hosts = hosts.filter { $0.value.begun > 0 || !$0.value.waiting.isEmpty }
    }

    private mutating func setAside(_ name: String) {
        aside.append(name)
        asideCount += hosts[name]?.waiting.count ?? 0
    }

    /// Records an answer of a host, which may end its being set aside.
    private mutating func succeed(_ name: String) {
        if hosts[name]?.pace?.standing == .aside {
            aside.removeAll { $0 == name }
            asideCount -= hosts[name]?.waiting.count ?? 0
        }
        hosts[name]?.pace?.succeed()
    }

    /// Returns the place that an entry had taken and not used, so that the next one can begin earlier.
    private mutating func giveBack(_ name: String) {
        hosts[name]?.pace?.giveBack()
        guard let place = later.firstIndex(where: { $0.host == name }) else { return }
        later.remove(at: place)
        hosts[name]?.isOffered = false
    }

    /// Gives all hosts that were set aside another chance.
    private mutating func recall(_ now: Duration) {
        let names = aside
        (aside, asideCount) = ([], 0)
        for name in names {
            hosts[name]?.pace?.recall(at: now)
            if hosts[name]?.pace?.standing == .dead {
                condemn(name)
            } else {
                offer(name, now)
            }
        }
    }

    /// Ends all entries of a host.
    private mutating func condemn(_ name: String) {
        let reason = hosts[name]?.trouble?.reason
        while let item = hosts[name]?.waiting.popFirst() {
            tries[item.index] = nil
            condemned.append(
                ListItem(index: item.index, url: item.url, invalidReason: reason, fields: item.fields)
            )
        }
    }

    private func mayBegin(_ host: Host) -> Bool {
        guard let pace = host.pace else { return host.begun < perHost }
        return host.begun < min(perHost, pace.limit) && pace.isOpen
    }

    private mutating func offer(_ name: String, _ now: Duration) {
        guard let host = hosts[name], !host.isOffered, let first = host.waiting.first, mayBegin(host) else {
            return
        }
        hosts[name]?.isOffered = true
        if let time = host.pace?.notBefore, time > now {
            let offer = Offer(host: name, rank: first.index, time: time)
            later.insert(offer, at: Self.place(in: later) { $0.time > time })
        } else {
            let offer = Offer(host: name, rank: first.index, time: now)
            ready.insert(offer, at: Self.place(in: ready) { $0.rank > first.index })
        }
    }

    /// Returns the number of offers at the beginning for which `precedes` is true.
    private static func place(in offers: [Offer], _ precedes: (Offer) -> Bool) -> Int {
        var (low, high) = (0, offers.count)
        while low < high {
            let middle = (low + high) / 2
            if precedes(offers[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
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

    /// Takes a place at a host; returns how long to wait for it.
    func takePlace(at host: String) -> Duration {
        var wait = Duration.zero
        update { wait = $0.queue.takePlace(at: host, $0.now) }
        return wait
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

/// What an entry has learnt about its host.
enum HostContact: Sendable {
    /// The host answered.
    case answered
    /// No picture was requested, because the host does not allow it.
    case refused
    /// The host was not asked.
    case none

    /// Creates what a failed load shows.
    init(_ failure: CalotypeError) {
        self = failure.code == .disallowedByRobots ? .refused : .answered
    }
}

extension HostTrouble {
    /// Why entries fail whose host was given up.
    fileprivate var reason: ListItem.InvalidReason {
        switch self {
        case .limited:
            ListItem.InvalidReason(
                code: .http(status: 429),
                message: "the host answers nothing but 429, so it was not asked again"
            )
        case .unavailable:
            ListItem.InvalidReason(
                code: .http(status: 503),
                message: "the host answers nothing but 503, so it was not asked again"
            )
        case .unreachable:
            ListItem.InvalidReason(
                code: .connectFailed,
                message: "the host cannot be reached, so it was not asked again"
            )
        }
    }
}
