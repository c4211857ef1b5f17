internal import Calotype
internal import CalotypeCore
internal import CalotypeFiles
internal import CalotypePlatform
internal import TaskFlow

/// What follows a run from outside.
struct DatasetRunWatch: Sendable {
    /// Receives the entries of the run at its beginning.
    var onEntries: @Sendable (WaitingEntries) -> Void
    /// Receives the host and its refusal, whenever a request is refused.
    var onTrouble: @Sendable (String, HostTrouble) -> Void
}

/// The shards that a worker makes under one lease, with journals and files of their own attempt.
///
/// It ends with the lease, with a failure that concerns all its shards, such as a full disk, or when all have been
/// made after a drain.
final class WorkerSession: Sendable {
    private struct State {
        /// The shards that were given and are neither complete nor cancelled.
        var open: Set<Int> = []
        /// All that were ever given.
        var known: Set<Int> = []
        var isOver = false
        var entries: WaitingEntries?
        var shares: HostShares?
        /// When each host's trouble was last reported.
        var troubles: [String: Duration] = [:]
    }

    /// Maximum number of hosts in a report.
    private static let hostLimit = 1000
    /// Maximum number of hosts whose last report is remembered.
    private static let troubleLimit = 10_000

    private let plan: ShardPlan
    private let report: @Sendable (WorkerReport) -> Void
    private let stopwatch: Stopwatch
    private let state = Guarded(State())

    init(_ plan: ShardPlan, clock: any Clock<Duration>, report: @escaping @Sendable (WorkerReport) -> Void) {
        self.plan = plan
        self.report = report
        stopwatch = Stopwatch(clock)
    }

    /// The shards in progress.
    var open: [Int] { state.withLock { $0.open.sorted() } }

    /// Adds a shard; `false` if this session has had it or is over.
    ///
    /// A second time would mix its samples with those of the first, so the next session makes it.
    func add(_ shard: Int) -> Bool {
        state.withLock { state in
            guard !state.isOver, state.known.insert(shard).inserted else { return false }
            state.open.insert(shard)
            return true
        }
    }

    /// Removes a shard that is complete or cancelled; `false` if it was not in progress.
    func remove(_ shard: Int) -> Bool { state.withLock { $0.open.remove(shard) != nil } }

    /// Ends the session; returns the shards that were in progress.
    func end() -> [Int] {
        state.withLock { state in
            state.isOver = true
            defer { state.open = [] }
            return state.open.sorted()
        }
    }

    /// Reports a shard that is complete.
    func complete(_ shard: Int) {
        if remove(shard) { report(.done(plan.name(of: shard))) }
    }

    /// Sets what hosts may be sent.
    func share(_ shares: HostShares) {
        state.withLock { state in
            state.shares = shares
            return state.entries
        }?.share(shares)
    }

    /// Sends `host` nothing for some time.
    func block(_ host: String, for time: Duration) { state.withLock(\.entries)?.block(host, for: time) }

    /// The hosts with most entries.
    var demand: [HostDemand] {
        state.withLock(\.entries)?.demand(limit: Self.hostLimit) ?? []
    }

    /// Connects the session with its run.
    var watch: DatasetRunWatch {
        DatasetRunWatch(
            onEntries: { [self] entries in
                let shares = state.withLock { state in
                    state.entries = entries
                    return state.shares
                }
                if let shares { entries.share(shares) }
            },
            onTrouble: { [self] host, trouble in tell(host, trouble) }
        )
    }

    /// Reports that a host wants fewer requests, at most once a second.
    private func tell(_ host: String, _ trouble: HostTrouble) {
        let reason: String
        switch trouble {
        case .limited: reason = "http_429"
        case .unavailable: reason = "http_503"
        default: return
        }
        let now = stopwatch.now
        let isNew = state.withLock { state in
            if let last = state.troubles[host], now - last < .seconds(1) { return false }
            if state.troubles.count >= Self.troubleLimit { state.troubles = [:] }
            state.troubles[host] = now
            return true
        }
        if isNew { report(.backoff(host: host, reason: reason, trouble.retryAfter)) }
    }
}
