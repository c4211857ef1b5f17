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
        var waiting = FIFO<ListItem>()
        var begun = 0
        /// Whether it is among those whose first entry may begin now or at some time.
        var isOffered = false
        /// `nil` if requests are not paced.
        var pace: HostPace?
        /// The last refusal.
        var trouble: HostTrouble?
        /// Whether its requests are paced and none has been answered yet.
        var isStrange: Bool { pace.map { $0.mark.successes == 0 } ?? false }
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
    private let random: @Sendable (Duration) -> Duration
    /// A host without entries.
    private let newHost: Host
    private var hosts: [String: Host] = [:]
    /// Number of hosts above which the idle ones are forgotten.
    private var hostLimit: Int
    /// Sorted by the indices of the entries, the first entry of the list last.
    private var ready: [Offer] = []
    /// Those of ``ready`` whose hosts had not answered when they were offered.
    private var readyStrangers: [Offer] = []
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
    ///   - pace: The pace of requests; `nil` for none.
    ///   - random: Returns a time up to its argument.
    init(
        limit: Int,
        asideLimit: Int = 100_000,
        perHost: Int,
        strangers: Int = .max,
        inOrder: Bool,
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
        newHost = Host(pace: pace.map { [perHost = self.perHost] in HostPace($0, limit: perHost) })
        self.random = random
    }

    /// Whether another entry may be read.
    var hasRoom: Bool {
        readCount - doneCount - (inOrder ? 0 : min(asideCount, asideLimit)) < limit
    }
    /// Whether no entry waits, and none has begun that may be put back.
    var isEmpty: Bool { waitingCount == 0 && begunCount == 0 }
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
    /// - Returns: The entry; it has a ``ListItem/invalidReason`` if its host was given up.
    mutating func next(at now: Duration = .zero, isComplete: Bool = false) -> ListItem? {
        while let offer = later.last, offer.time <= now {
            later.removeLast()
            hosts[offer.host]?.isOffered = false
            self.offer(offer.host, now)
        }
        while asideCount > asideLimit, let first = aside.first { recall(first, now) }
        if let item = condemned.popFirst() { return begin(item, condemned: true, now) }
        while let name = popReady()?.host {
            hosts[name]?.isOffered = false
            // Its pace may have changed since it was offered.
            if hosts[name].map({ mayBegin($0) && $0.pace?.notBefore ?? now <= now }) != true {
                offer(name, now)
            } else if let item = hosts[name]?.waiting.popFirst() {
                return begin(item, condemned: false, now)
            }
        }
        // Nothing else is left to do, or nothing else can be read.
        guard later.isEmpty, readyStrangers.isEmpty, !aside.isEmpty,
            isComplete || (begunCount == 0 && !hasRoom)
        else { return nil }
        let names = aside
        // Emptied first, so that a recall has nothing to search.
        aside = []
        for name in names { recall(name, now) }
        return next(at: now, isComplete: isComplete)
    }

    /// Removes the offer of the first entry of the list, among those that have a place.
    private mutating func popReady() -> Offer? {
        guard begunStrangers < strangers, let stranger = readyStrangers.last else { return ready.popLast() }
        if let first = ready.last, first.rank < stranger.rank { return ready.popLast() }
        return readyStrangers.popLast()
    }

    private mutating func begin(_ item: ListItem, condemned: Bool, _ now: Duration) -> ListItem {
        let name = Self.host(of: item.url)
        waitingCount -= 1
        begunCount += 1
        hosts[name, default: newHost].begun += 1
        if hosts[name]?.isStrange == true { begunStrangers += 1 }
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
        case .silent: break
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
        if hosts[name]?.isStrange == true { begunStrangers -= 1 }
        hosts[name]?.begun -= 1
        offer(name, now)
        guard let host = hosts[name], host.begun == 0, host.waiting.isEmpty else { return }
        if host.pace?.isForgettable(at: now) ?? true { hosts[name] = nil }
        guard hosts.count > hostLimit else { return }
        hosts = hosts.filter { $0.value.begun > 0 || !$0.value.waiting.isEmpty }
        // Those that are in use may be more than the limit; not all are looked at again for each idle one.
        hostLimit = max(limit, hosts.count) + Self.idleLimit
    }

    private mutating func setAside(_ name: String) {
        aside.append(name)
        asideCount += hosts[name]?.waiting.count ?? 0
    }

    /// Records a response of a host, which may then no longer be set aside.
    private mutating func succeed(_ name: String) {
        if hosts[name]?.pace?.standing == .aside {
            aside.removeAll { $0 == name }
            asideCount -= hosts[name]?.waiting.count ?? 0
        }
        if let host = hosts[name], host.isStrange {
            begunStrangers -= host.begun
            if host.isOffered, let place = readyStrangers.firstIndex(where: { $0.host == name }) {
                readyStrangers.remove(at: place)
                // It is offered again when the entry leaves.
                hosts[name]?.isOffered = false
            }
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

    /// Gives a host that was set aside another chance.
    private mutating func recall(_ name: String, _ now: Duration) {
        aside.removeAll { $0 == name }
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
            if host.isStrange, strangers < .max {
                readyStrangers.insert(offer, at: Self.place(in: readyStrangers) { $0.rank > first.index })
            } else {
                ready.insert(offer, at: Self.place(in: ready) { $0.rank > first.index })
            }
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

/// What an entry found out about its host.
enum HostContact: Sendable {
    /// The host responded.
    case answered
    /// No picture was requested, because the host does not allow it.
    case refused
    /// A request was sent, and there was no complete response.
    case silent
    /// No request was sent to the host.
    case none

    /// Creates what a failed load shows.
    init(_ failure: CalotypeError) {
        self =
            switch failure.code {
            case .disallowedByRobots: .refused
            default: HostTrouble(failure)?.isSilence == true ? .silent : .answered
            }
    }
}

extension HostTrouble {
    /// Why entries fail whose host was given up.
    fileprivate var reason: ListItem.InvalidReason {
        switch self {
        case .limited:
            ListItem.InvalidReason(
                code: .http(status: 429),
                message: "the host responds only with 429, so no further requests were sent"
            )
        case .unavailable:
            ListItem.InvalidReason(
                code: .http(status: 503),
                message: "the host responds only with 503, so no further requests were sent"
            )
        case .unreachable:
            ListItem.InvalidReason(
                code: .connectFailed,
                message: "the host cannot be reached, so no further requests were sent"
            )
        case .slow:
            ListItem.InvalidReason(
                code: .timeoutHeaders,
                message: "the host does not respond, so no further requests were sent"
            )
        case .stalled:
            ListItem.InvalidReason(
                code: .tooSlow,
                message: "the host's images do not arrive in time, so no further requests were sent"
            )
        case .unresolved:
            ListItem.InvalidReason(
                code: .dnsFailed,
                message: "the host has no address, so no further requests were sent"
            )
        }
    }
}
