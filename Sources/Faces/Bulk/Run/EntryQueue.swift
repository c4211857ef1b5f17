internal import CalotypeCore
internal import TaskFlow

/// The entries of a list between being read and being ended: which one may begin, without locks.
///
/// Entries that wait are values; only those that have begun have a task. At most a share of those that have
/// begun belongs to one host, so that a busy or dead host does not delay the others. With a pace, entries of a
/// host that refuses requests wait here, and those of a host that stays dead are set aside until nothing else
/// is left, or until too many are.
struct EntryQueue {
    private struct Host {
        var waiting: WaitingLine
        var begun = 0
        /// Whether it is among those whose first entry may begin now or at some time.
        var isOffered = false
        /// `nil` if requests are not paced.
        var pace: HostPace?
        /// The last refusal.
        var trouble: HostTrouble?
        /// Number of entries that have ended, and when the first one began.
        var ended = 0
        var since: Duration?
        /// The address that it is known by, if hosts with the same address share their limits.
        var address: String?
        /// Whether its requests are paced and none has been answered yet.
        var isStrange: Bool { pace.map { $0.mark.successes == 0 } ?? false }
    }

    /// An entry that has begun, or has begun before and waits again.
    private struct Try {
        var mark: HostPace.Mark
        /// Number of times that its host refused it while it served others.
        var refusals = 0
    }

    /// Maximum number of idle hosts whose pace is remembered.
    private static let idleLimit = 10_000

    /// Maximum number of entries that have been read and have not ended.
    private let limit: Int
    /// Maximum number of entries that are set aside besides those within ``limit``.
    private let asideLimit: Int
    private let perHost: Int
    /// Maximum number of entries that have begun and whose hosts have not answered yet.
    private let strangers: Int
    /// Whether an entry counts as ended only when all before it have ended.
    private let inOrder: Bool
    private let policy: PacePolicy?
    /// What each host may be sent, at most, besides its pace.
    private var shares = HostShares()
    private let random: @Sendable (Duration) -> Duration
    /// A host without entries.
    private let newHost: Host
    private var hosts: [String: Host] = [:]
    /// The names that share another one's limits: that name, and the number of their entries.
    private var aliases: [String: (name: String, entries: Int)] = [:]
    /// The first name of each address.
    private var addresses: [String: String] = [:]
    /// Number of hosts above which the idle ones are forgotten.
    private var hostLimit: Int
    private var offers = HostOffers()
    /// Hosts that are set aside, and since when, the first one first.
    private var aside: [(name: String, since: Duration)] = []
    private var asideCount = 0
    /// Entries of hosts that were given up.
    private var condemned = FIFO<ListItem>()
    private var tries: [Int: Try] = [:]
    private var readCount = 0
    private var waitingCount = 0
    private var begunCount = 0
    private var begunStrangers = 0
    /// Number of entries that no longer count: all ended ones, or those before the first that has not ended.
    private var doneCount = 0
    /// The positions of ended entries that others precede; only if they count in order.
    private var endedAhead: Set<Int> = []

    /// Creates an empty queue; the list's positions begin at 0.
    ///
    /// - Parameters:
    ///   - limit: Maximum number of entries that have been read and have not ended.
    ///   - asideLimit: Maximum number of entries that are set aside besides.
    ///   - perHost: Maximum number of entries of a host that have begun.
    ///   - strangers: The same, for all paced hosts together that have not answered yet. It keeps hosts that never
    ///     will from taking all places.
    ///   - inOrder: Whether an entry counts as ended only when all before it have ended.
    ///   - tail: The index from which entries let those of the same host with a lower one go first.
    ///   - pace: The pace of requests; `nil` for none.
    ///   - random: Returns a time up to its argument.
    init(
        limit: Int,
        asideLimit: Int = 100_000,
        perHost: Int,
        strangers: Int = .max,
        inOrder: Bool,
        tail: Int = .max,
        pace: PacePolicy? = nil,
        random: @escaping @Sendable (Duration) -> Duration = RetryPolicy.fullJitter
    ) {
        self.limit = max(limit, 1)
        self.asideLimit = asideLimit
        self.perHost = max(perHost, 1)
        self.strangers = max(strangers, 1)
        self.inOrder = inOrder
        policy = pace
        hostLimit = self.limit + Self.idleLimit
        newHost = Host(
            waiting: WaitingLine(tail: tail),
            pace: pace.map { [perHost = self.perHost] in HostPace($0, limit: perHost) }
        )
        self.random = random
    }

    /// Whether another entry may be read.
    var hasRoom: Bool {
        readCount - doneCount - (inOrder ? 0 : min(asideCount, asideLimit)) < limit
    }
    /// Whether no entry waits, and none that has begun may have to wait again.
    var isEmpty: Bool { waitingCount == 0 && (policy == nil || begunCount == 0) }
    /// Number of hosts that have entries here, or whose pace is remembered.
    var hostCount: Int { hosts.count }
    /// When the next entry may begin, if none may now.
    var alarm: Duration? { [offers.alarm, lastChance].compactMap(\.self).min() }
    /// When the first of the hosts that are set aside has another chance, if not at the end of the list.
    private var lastChance: Duration? {
        guard let first = aside.first, let time = policy?.recallsAfter else { return nil }
        return first.since + time
    }

    /// Adds the next entry of the list.
    mutating func add(_ item: ListItem, at now: Duration = .zero) {
        readCount += 1
        waitingCount += 1
        aliases[ListItem.host(of: item.url)]?.entries += 1
        let name = name(of: item)
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
    /// - Returns: The entry; it has a ``ListItem/invalidReason`` if its host was given up.
    mutating func next(at now: Duration = .zero, isComplete: Bool = false) -> ListItem? {
        while let name = offers.popDue(at: now) {
            hosts[name]?.isOffered = false
            offer(name, now)
        }
        while asideCount > asideLimit || lastChance.map({ $0 <= now }) == true, let first = aside.first {
            recall(first.name, now)
        }
        if let item = condemned.popFirst() { return begin(item, condemned: true, now) }
        while let name = offers.popReady(withStrangers: begunStrangers < strangers) {
            hosts[name]?.isOffered = false
            // Its pace may have changed since it was offered.
            if hosts[name].map({ mayBegin($0, name) && $0.pace?.notBefore ?? now <= now }) != true {
                offer(name, now)
            } else if let item = hosts[name]?.waiting.popFirst() {
                return begin(item, condemned: false, now)
            }
        }
        // Nothing else is left to do, or nothing else can be read.
        guard offers.hasOnlyKnown, !aside.isEmpty,
            isComplete || (begunCount == 0 && !hasRoom)
        else { return nil }
        let names = aside
        // Emptied first, so that a recall has nothing to search.
        aside = []
        for (name, _) in names { recall(name, now) }
        return next(at: now, isComplete: isComplete)
    }

    private mutating func begin(_ item: ListItem, condemned: Bool, _ now: Duration) -> ListItem {
        let name = name(of: item)
        waitingCount -= 1
        begunCount += 1
        hosts[name, default: newHost].begun += 1
        if hosts[name]?.since == nil { hosts[name]?.since = now }
        if hosts[name]?.isStrange == true { begunStrangers += 1 }
        if !condemned, let mark = hosts[name]?.pace?.mark {
            tries[item.index, default: Try(mark: mark)].mark = mark
            _ = hosts[name]?.pace?.take(at: now, every: shares[name].interval)
        }
        offer(name, now)
        return item
    }

    /// Ends an entry that had begun.
    mutating func end(_ item: ListItem, _ contact: HostContact = .none, at now: Duration = .zero) {
        let name = name(of: item)
        let hasPlace = tries.removeValue(forKey: item.index) != nil
        hosts[name]?.ended += 1
        switch contact {
        case .answered: succeed(name)
        case .refused: hosts[name]?.pace?.know()
        case .silent: break
        case .none: if hasPlace { giveBack(name) }
        }
        leave(name, now)
        leaveAlias(of: item)
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
        let name = name(of: item)
        guard var pace = hosts[name]?.pace, var attempt = tries[item.index] else { return false }
        if trouble.concerns(attempt.mark, pace.mark) {
            if trouble.largestCount == 0 { return false }
            attempt.refusals += 1
        }
        pace.refuse(trouble, since: attempt.mark, at: now, random: random)
        tries[item.index] = attempt
        let isOver = trouble.largestCount == 0 || attempt.refusals >= trouble.largestCount
        let was = hosts[name]?.pace?.standing
        hosts[name]?.pace = pace
        hosts[name]?.trouble = trouble
        if pace.standing == .aside, was != .aside { setAside(name, now) }
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
        let name = aliases[name]?.name ?? name
        hosts[name, default: newHost].pace?.ask(for: delay)
    }

    /// Sets what each host may be sent, at most, besides its pace.
    mutating func share(_ shares: HostShares, at now: Duration) {
        self.shares = shares
        for name in Array(hosts.keys) { offer(name, now) }
    }

    /// Sends a host that has entries nothing until `time`.
    mutating func block(_ name: String, until time: Duration) { hosts[name]?.pace?.wait(until: time) }

    /// Returns the hosts with most entries.
    func demand(limit: Int) -> [HostDemand] {
        let all = hosts.compactMap { name, host in
            let demand = HostDemand(host: name, waiting: host.waiting.count, begun: host.begun)
            return demand.count > 0 ? demand : nil
        }
        return Array(all.sorted { ($1.count, $0.host) < ($0.count, $1.host) }.prefix(limit))
    }

    /// Takes a place at a host for a request that no entry begins with, such as that after a redirect.
    ///
    /// Returns how long to wait for it.
    mutating func takePlace(at name: String, _ now: Duration) -> Duration {
        guard policy != nil else { return .zero }
        let name = aliases[name]?.name ?? name
        return hosts[name, default: newHost].pace?.take(at: now, every: shares[name].interval) ?? .zero
    }

    /// Records the time that a host took for the head of a response.
    mutating func measure(_ name: String, _ time: Duration) {
        hosts[aliases[name]?.name ?? name]?.pace?.measure(time)
    }

    /// Whether the address of the host of an entry is wanted, to find other names with the same one.
    func wantsAddress(of item: ListItem) -> Bool {
        policy != nil && aliases[ListItem.host(of: item.url)] == nil && hosts[name(of: item)]?.address == nil
    }

    /// Lets a host share the limits of others with the same address.
    ///
    /// - Parameters:
    ///   - item: An entry of the host, which has begun and has sent nothing.
    ///   - address: The address of the host.
    ///   - now: The time, which never goes back.
    /// - Returns: Whether the entry may continue. If not, it waits again.
    mutating func join(_ item: ListItem, _ address: String, at now: Duration) -> Bool {
        let name = name(of: item)
        guard aliases[name] == nil, let host = hosts[name], host.address == nil else { return true }
        guard let first = addresses[address], var whole = hosts[first] else {
            addresses[address] = name
            hosts[name]?.address = address
            return true
        }
        offers.remove(name)
        aside.removeAll { $0.name == name }
        hosts[name] = nil
        aliases[name] = (first, host.begun + host.waiting.count)
        begunStrangers -= (host.isStrange ? host.begun : 0) - (whole.isStrange ? host.begun : 0)
        whole.begun += host.begun
        let wasAside = host.pace?.standing == .aside
        if wasAside { asideCount -= host.waiting.count }
        if whole.pace?.standing == .aside { asideCount += host.waiting.count }
        var waiting = host.waiting
        while let item = waiting.popFirst() { whole.waiting.append(item) }
        hosts[first] = whole
        // The entry was among those that have begun.
        if whole.begun - 1 < min(perHost, whole.pace?.limit ?? perHost), whole.pace?.isOpen != false,
            whole.pace?.notBefore ?? now <= now
        {
            if let mark = whole.pace?.mark { tries[item.index]?.mark = mark }
            _ = hosts[first]?.pace?.take(at: now, every: shares[first].interval)
            offer(first, now)
            return true
        }
        tries[item.index] = nil
        waitingCount += 1
        hosts[first]?.waiting.append(item)
        if whole.pace?.standing == .aside { asideCount += 1 }
        leave(first, now)
        if whole.pace?.standing == .dead { condemn(first) }
        return false
    }

    /// Forgets that a name shares another one's limits, when none of its entries is left.
    private mutating func leaveAlias(of item: ListItem) {
        let name = ListItem.host(of: item.url)
        guard let alias = aliases[name] else { return }
        aliases[name] = alias.entries > 1 ? (alias.name, alias.entries - 1) : nil
    }

    /// Returns the name by which the host of an entry is known here.
    private func name(of item: ListItem) -> String {
        let name = ListItem.host(of: item.url)
        return aliases[name]?.name ?? name
    }

    /// Forgets an idle host.
    private mutating func forget(_ name: String) {
        if let address = hosts[name]?.address { addresses[address] = nil }
        hosts[name] = nil
    }

    /// Ends the use of a host by an entry.
    private mutating func leave(_ name: String, _ now: Duration) {
        begunCount -= 1
        if hosts[name]?.isStrange == true { begunStrangers -= 1 }
        hosts[name]?.begun -= 1
        offer(name, now)
        guard let host = hosts[name], host.begun == 0, host.waiting.isEmpty else { return }
        if host.pace?.isForgettable(at: now) ?? true { forget(name) }
        guard hosts.count > hostLimit else { return }
        for (name, host) in hosts where host.begun == 0 && host.waiting.isEmpty { forget(name) }
        // Those that are in use may be more than the limit; not all are looked at again for each idle one.
        hostLimit = max(limit, hosts.count) + Self.idleLimit
    }

    private mutating func setAside(_ name: String, _ now: Duration) {
        aside.append((name, now))
        asideCount += hosts[name]?.waiting.count ?? 0
    }

    /// Records a response of a host, which may then no longer be set aside.
    private mutating func succeed(_ name: String) {
        if hosts[name]?.pace?.standing == .aside {
            aside.removeAll { $0.name == name }
            asideCount -= hosts[name]?.waiting.count ?? 0
        }
        if let host = hosts[name], host.isStrange {
            begunStrangers -= host.begun
            if host.isOffered, offers.removeStranger(name) {
                // It is offered again when the entry leaves.
                hosts[name]?.isOffered = false
            }
        }
        hosts[name]?.pace?.succeed()
    }

    /// Returns the place that an entry had taken and not used, so that the next one can begin earlier.
    private mutating func giveBack(_ name: String) {
        hosts[name]?.pace?.giveBack()
        if offers.removeLater(name) { hosts[name]?.isOffered = false }
    }

    /// Gives a host that was set aside another chance.
    private mutating func recall(_ name: String, _ now: Duration) {
        aside.removeAll { $0.name == name }
        asideCount -= hosts[name]?.waiting.count ?? 0
        hosts[name]?.pace?.recall(at: now)
        if hosts[name]?.pace?.standing == .dead {
            condemn(name)
        } else {
            offer(name, now)
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

    private func mayBegin(_ host: Host, _ name: String) -> Bool {
        let most = min(perHost, shares[name].connections ?? .max)
        guard let pace = host.pace else { return host.begun < most }
        return host.begun < min(most, pace.limit) && pace.isOpen
    }

    private mutating func offer(_ name: String, _ now: Duration) {
        guard let host = hosts[name], !host.isOffered, let first = host.waiting.first, mayBegin(host, name)
        else { return }
        hosts[name]?.isOffered = true
        if let time = host.pace?.notBefore, time > now {
            offers.insert(name, rank: first.index, at: time)
        } else {
            offers.insert(name, rank: first.index, isStrange: host.isStrange && strangers < .max)
        }
    }

    /// Returns the hosts that need longest for the entries that were read, at most `limit`, the slowest first.
    func slowestHosts(_ limit: Int, at now: Duration) -> [HostProgress] {
        var slowest: [(time: Double, host: HostProgress)] = []
        for (name, host) in hosts {
            guard let since = host.since, host.begun + host.waiting.count > 0 else { continue }
            let left = host.begun + host.waiting.count
            let rate = Double(host.ended) / max((now - since).inSeconds, 0.001)
            // A host of which nothing has ended is assumed to have one entry ended by now.
            let time = Double(left) * (now - since).inSeconds / Double(max(host.ended, 1))
            guard slowest.count < limit || time > slowest[slowest.count - 1].time else { continue }
            let progress = HostProgress(
                name: name,
                left: left,
                imagesPerSecond: rate,
                connections: min(perHost, host.pace?.limit ?? perHost),
                isSetAside: host.pace.map { !$0.isOpen } ?? false
            )
            slowest.insert((time, progress), at: slowest.firstIndex { $0.time < time } ?? slowest.count)
            if slowest.count > limit { slowest.removeLast() }
        }
        return slowest.map(\.host)
    }
}

/// The entries that wait for one host, in the order in which they begin: those of the tail last.
private struct WaitingLine {
    /// The first index of the tail.
    let tail: Int
    private var others = FIFO<ListItem>()
    private var last = FIFO<ListItem>()

    init(tail: Int) { self.tail = tail }

    var count: Int { others.count + last.count }
    var isEmpty: Bool { others.isEmpty && last.isEmpty }
    var first: ListItem? { others.first ?? last.first }

    mutating func append(_ item: ListItem) {
        if item.index < tail { others.append(item) } else { last.append(item) }
    }

    mutating func popFirst() -> ListItem? { others.popFirst() ?? last.popFirst() }
}
