/// Who works, who stands ready and who waits: decides which workers are started, given out and ended, and does nothing.
///
/// Times are counted from the roster's beginning.
struct WorkerRoster {
    /// How many workers there may be.
    struct Rules: Hashable {
        /// At work at a time.
        var most: Int
        /// Ready or on their way to be while others work.
        var spares: Int
        /// Ready when there is nothing to do.
        var kept: Int
        var idleTime: Duration
        /// In how much time a worker that was started has to be ready.
        var startTime = Duration.seconds(20)
        /// How long the first failed start is waited for, before the next; it doubles up to the last.
        var pauses = Duration.milliseconds(100)...Duration.seconds(10)
    }

    /// What becomes of somebody who asks for a worker.
    enum Answer: Hashable {
        case take(Int)
        case wait
        /// No worker can be started at present, or the roster is closed.
        case refuse
    }

    /// What is to be done now.
    struct Orders: Hashable {
        /// How many workers to start.
        var starts = 0
        /// Those to end, and no longer on the roster.
        var ends: [Int] = []
        /// Whether there has been nothing to do for so long that nothing needs to be warm.
        var isAtRest = false
        /// When to ask again, if nothing happens before.
        var next: Duration?
    }

    private enum Phase: Hashable {
        case starting, idle, busy
    }

    private struct Member {
        var phase: Phase
        /// When the phase began.
        var since: Duration
        /// Whether it was ready at all.
        var wasReady = false
        /// Whether it has done a job.
        var isProven = false
    }

    private let rules: Rules
    private var workers: [Int: Member] = [:]
    private var waiters: [Int] = []
    /// How many workers were started so far; each has that number for a name.
    private(set) var entered = 0
    private(set) var isClosed = false
    /// Starts in succession that failed.
    private var failures = 0
    private var pauseEnd = Duration.zero
    /// Workers up to this number do not count as failed starts any more: what ends several at once counts once, and nothing
    /// of an earlier template.
    private var settled = 0
    /// The first worker of the present template.
    private var firstOfTemplate = 1
    /// Whether a worker of the present template has done a job.
    private(set) var hasProvenTemplate = false
    /// Since when there is no worker.
    private var restStart = Duration.zero

    init(_ rules: Rules) {
        self.rules = rules
    }

    /// Whether there is no worker.
    var isEmpty: Bool { workers.isEmpty }

    /// The workers that are started and not yet ready, the oldest first.
    var starting: [Int] { ids(.starting) }

    /// The workers that stand ready, those first that have done so for longest.
    var idle: [Int] { ids(.idle) }

    /// Whether a worker has to be started.
    var isShort: Bool { missing > 0 && room > 0 }

    /// Asks for a worker; one that waits is named by `ticket`.
    mutating func take(_ ticket: Int, now: Duration) -> Answer {
        guard !isClosed else { return .refuse }
        // The one that worked last: the others may end one day.
        if let id = idle.last {
            workers[id]?.phase = .busy
            return .take(id)
        }
        // One start may have failed by chance.
        guard failures < 2 || now >= pauseEnd || !starting.isEmpty else { return .refuse }
        waiters.append(ticket)
        return .wait
    }

    /// Forgets one that waits.
    mutating func cancel(_ ticket: Int) {
        waiters.removeAll { $0 == ticket }
    }

    /// Gives a worker that is about to be started its number.
    mutating func enter(now: Duration) -> Int {
        entered += 1
        workers[entered] = Member(phase: .starting, since: now)
        return entered
    }

    /// A template was started, of which the worker `id` and later ones are forked.
    mutating func renew(from id: Int) {
        settled = id - 1
        firstOfTemplate = id
        hasProvenTemplate = false
    }

    /// A worker can be given out, since it started or has done its job.
    ///
    /// - Returns: the ticket of the one who gets it, if somebody waits.
    mutating func ready(_ id: Int, now: Duration) -> Int? {
        guard var worker = workers[id] else { return nil }
        if worker.phase == .busy {
            worker.isProven = true
            hasProvenTemplate = hasProvenTemplate || id >= firstOfTemplate
            failures = 0
        }
        worker.wasReady = true
        worker.phase = waiters.isEmpty ? .idle : .busy
        worker.since = now
        workers[id] = worker
        return waiters.isEmpty ? nil : waiters.removeFirst()
    }

    /// A worker has ended; one that never did a job was a failed start, unless it ended at its work, or with a template
    /// that was good until then.
    ///
    /// - Parameters:
    ///   - id: The worker.
    ///   - now: When.
    ///   - isHopeless: Whether the next start would fail too.
    ///   - isOrphan: Whether its template has ended before it.
    /// - Returns: the tickets of those who wait in vain, since no worker can be started.
    mutating func gone(_ id: Int, now: Duration, isHopeless: Bool = false, isOrphan: Bool = false) -> [Int] {
        restStart = now
        guard let worker = workers.removeValue(forKey: id), worker.phase != .busy, !worker.isProven,
            id > settled, !isOrphan || !hasProvenTemplate
        else { return [] }
        settled = entered
        failures = isHopeless ? max(failures + 1, 2) : failures + 1
        // What was ready was started as it should be: it may be replaced at once, though not again and again.
        pauseEnd = worker.wasReady && failures == 1 ? now : now + pause
        guard failures > 1, starting.isEmpty else { return [] }
        defer { waiters = [] }
        return waiters
    }

    /// Whether `id` stands ready, and now belongs to the one who asks and ends it.
    mutating func seize(idle id: Int) -> Bool {
        guard let worker = workers[id], worker.phase == .idle else { return false }
        workers[id]?.phase = .starting
        return true
    }

    /// No worker is started or given out any more.
    ///
    /// - Returns: the tickets of those who wait in vain.
    mutating func close() -> [Int] {
        isClosed = true
        defer { waiters = [] }
        return waiters
    }

    /// What is to be done at `now`.
    mutating func orders(now: Duration) -> Orders {
        var orders = Orders(ends: overdue(now: now))
        for id in orders.ends where workers[id]?.phase == .idle { workers[id] = nil }
        guard !isClosed else { return orders }
        var next = dueTimes
        if isShort {
            if failures == 0 {
                orders.starts = min(missing, room)
            } else if now >= pauseEnd {
                // One tells whether the others would fail too.
                orders.starts = starting.isEmpty ? 1 : 0
            } else {
                next.append(pauseEnd)
            }
        }
        if workers.isEmpty, waiters.isEmpty, orders.ends.isEmpty, rules.kept == 0 {
            let end = restStart + rules.idleTime
            orders.isAtRest = now >= end
            if !orders.isAtRest { next.append(end) }
        }
        // Those at work come back without notice.
        if busyCount > 0 { next.append(now + rules.idleTime) }
        orders.next = next.min()
        return orders
    }

    private var busyCount: Int { ids(.busy).count }

    private var room: Int { rules.most + rules.spares - workers.count }

    /// How many workers are to be started: for those who wait first, since a spare would take processors from the start
    /// that they wait for.
    private var missing: Int {
        waiters.isEmpty ? readyCount - starting.count - idle.count : waiters.count - starting.count
    }

    /// How many are to stand ready when nobody waits.
    private var readyCount: Int { busyCount > 0 ? max(rules.spares, rules.kept) : rules.kept }

    /// How long to wait after a failed start.
    private var pause: Duration {
        min(rules.pauses.lowerBound * (1 << min(failures - 1, 20)), rules.pauses.upperBound)
    }

    private func overdue(now: Duration) -> [Int] {
        if isClosed { return starting + idle }
        return starting.filter { since($0) + rules.startTime <= now }
            + idle.dropLast(readyCount).filter { since($0) + rules.idleTime <= now }
    }

    private var dueTimes: [Duration] {
        starting.map { since($0) + rules.startTime }
            + idle.dropLast(readyCount).map { since($0) + rules.idleTime }
    }

    private func since(_ id: Int) -> Duration { workers[id]?.since ?? .zero }

    private func ids(_ phase: Phase) -> [Int] {
        workers.filter { $0.value.phase == phase }
            .sorted { ($0.value.since, $0.key) < ($1.value.since, $1.key) }
            .map(\.key)
    }
}
