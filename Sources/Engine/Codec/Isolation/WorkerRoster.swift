/// The list of a pool's workers, and of the requests that wait for one.
///
/// It decides which workers to start, hand out and end, but does nothing itself. Times are measured from the
/// roster's creation.
struct WorkerRoster {
    /// The numbers of workers and the times that apply to them.
    struct Rules: Hashable {
        /// The maximum number of workers at work at a time.
        var most: Int
        /// The number of workers that are ready, or about to be, while others work.
        var spares: Int
        /// The number of workers that are ready when there is no work.
        var kept: Int
        var idleTime: Duration
        /// The time within which a started worker must be ready.
        var startTime = Duration.seconds(20)
        /// The pause after the first failed start; it doubles up to the upper bound.
        var pauses = Duration.milliseconds(100)...Duration.seconds(10)
    }

    /// The result of a request for a worker.
    enum Decision: Hashable {
        case take(Int)
        case wait
        /// No worker can be started now, or the roster is closed.
        case refuse
    }

    /// The actions to take now.
    struct Actions: Hashable {
        /// The number of workers to start.
        var starts = 0
        /// The workers to end, which are no longer on the roster.
        var ends: [Int] = []
        /// Whether the pool has been idle for so long that nothing needs to stay ready.
        var isAtRest = false
        /// When to call again if nothing happens before.
        var next: Duration?
    }

    private enum Phase: Hashable {
        case starting, idle, busy
    }

    private struct Member {
        var phase: Phase
        /// When the phase began.
        var since: Duration
        /// Whether it was ever ready.
        var wasReady = false
        /// Whether it has done a job.
        var isProven = false
    }

    private let rules: Rules
    private var workers: [Int: Member] = [:]
    private var waiters: [Int] = []
    /// The number of workers started so far; this number identifies each.
    private(set) var entered = 0
    private(set) var isClosed = false
    /// The number of consecutive failed starts.
    private var failures = 0
    private var pauseEnd = Duration.zero
    /// The last worker that no longer counts as a failed start.
    ///
    /// If one cause ends several workers, it counts once, and workers of an earlier template do not count.
    private var settled = 0
    /// The first worker of the current template.
    private var firstOfTemplate = 1
    /// Whether a worker of the current template has done a job.
    private(set) var hasProvenTemplate = false
    /// When the last worker ended.
    private var restStart = Duration.zero

    init(_ rules: Rules) {
        self.rules = rules
    }

    /// Whether there are no workers.
    var isEmpty: Bool { workers.isEmpty }

    /// The workers that are started and not yet ready, the oldest first.
    var starting: [Int] { ids(.starting) }

    /// The ready workers, those that have been ready for longest first.
    var idle: [Int] { ids(.idle) }

    /// Whether another worker must be started.
    var isShort: Bool { missing > 0 && room > 0 }

    /// Requests a worker; `ticket` identifies the request if it has to wait.
    mutating func take(_ ticket: Int, now: Duration) -> Decision {
        guard !isClosed else { return .refuse }
        // The most recently used worker, so that the others may end.
        if let id = idle.last {
            workers[id]?.phase = .busy
            return .take(id)
        }
        // A single failed start may be an accident.
        guard failures < 2 || now >= pauseEnd || !starting.isEmpty else { return .refuse }
        waiters.append(ticket)
        return .wait
    }

    /// Removes a waiting request.
    mutating func cancel(_ ticket: Int) {
        waiters.removeAll { $0 == ticket }
    }

    /// Registers a worker that is about to be started, and returns its number.
    mutating func enter(now: Duration) -> Int {
        entered += 1
        workers[entered] = Member(phase: .starting, since: now)
        return entered
    }

    /// Records that a template was started, from which the worker `id` and later ones are forked.
    mutating func renew(from id: Int) {
        settled = id - 1
        firstOfTemplate = id
        hasProvenTemplate = false
    }

    /// Records that a worker is available, because it has started or done its job.
    ///
    /// - Returns: The ticket of the request that receives it, if one waits.
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

    /// Records that a worker has ended.
    ///
    /// A worker that never did a job was a failed start, unless it ended during its job, or with a template
    /// that was good until then.
    ///
    /// - Parameters:
    ///   - id: The worker.
    ///   - now: When it ended.
    ///   - isHopeless: Whether the next start would fail too.
    ///   - isOrphan: Whether its template ended before it.
    /// - Returns: The tickets of requests to refuse, because no worker can be started.
    mutating func gone(_ id: Int, now: Duration, isHopeless: Bool = false, isOrphan: Bool = false) -> [Int] {
        restStart = now
        guard let worker = workers.removeValue(forKey: id), worker.phase != .busy, !worker.isProven,
            id > settled, !isOrphan || !hasProvenTemplate
        else { return [] }
        settled = entered
        failures = isHopeless ? max(failures + 1, 2) : failures + 1
        // A worker that was ready had started properly, so it may be replaced immediately, but not
        // repeatedly.
        pauseEnd = worker.wasReady && failures == 1 ? now : now + pause
        guard failures > 1, starting.isEmpty else { return [] }
        defer { waiters = [] }
        return waiters
    }

    /// Returns whether `id` is ready; if so, the worker belongs to the caller, which ends it.
    mutating func seize(idle id: Int) -> Bool {
        guard let worker = workers[id], worker.phase == .idle else { return false }
        workers[id]?.phase = .starting
        return true
    }

    /// Closes the roster, so that no worker is started or handed out any more.
    ///
    /// - Returns: The tickets of the requests to refuse.
    mutating func close() -> [Int] {
        isClosed = true
        defer { waiters = [] }
        return waiters
    }

    /// Returns the actions to take at `now`.
    mutating func actions(now: Duration) -> Actions {
        var actions = Actions(ends: overdue(now: now))
        for id in actions.ends where workers[id]?.phase == .idle { workers[id] = nil }
        guard !isClosed else { return actions }
        var next = dueTimes
        if isShort {
            if failures == 0 {
                actions.starts = min(missing, room)
            } else if now >= pauseEnd {
                // A single start shows whether the others would fail too.
                actions.starts = starting.isEmpty ? 1 : 0
            } else {
                next.append(pauseEnd)
            }
        }
        if workers.isEmpty, waiters.isEmpty, actions.ends.isEmpty, rules.kept == 0 {
            let end = restStart + rules.idleTime
            actions.isAtRest = now >= end
            if !actions.isAtRest { next.append(end) }
        }
        // Busy workers return without an event.
        if busyCount > 0 { next.append(now + rules.idleTime) }
        actions.next = next.min()
        return actions
    }

    private var busyCount: Int { ids(.busy).count }

    private var room: Int { rules.most + rules.spares - workers.count }

    /// The number of workers to start.
    ///
    /// Waiting requests come first, because a spare would compete for processors with the start that they
    /// wait for.
    private var missing: Int {
        waiters.isEmpty ? readyCount - starting.count - idle.count : waiters.count - starting.count
    }

    /// The number of workers that must be ready when no request waits.
    private var readyCount: Int { busyCount > 0 ? max(rules.spares, rules.kept) : rules.kept }

    /// The time to wait after a failed start.
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
