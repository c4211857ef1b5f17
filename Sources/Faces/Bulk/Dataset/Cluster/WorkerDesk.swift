internal import CalotypeCore
internal import TaskFlow

/// Where the orders of a worker meet its sessions.
final class WorkerDesk: Sendable {
    private struct Running: Sendable {
        let session: WorkerSession
        let list: AssignedShards
        let book: ShardBook
    }

    private struct State {
        var running: Running?
        /// The shards that wait for a session.
        var pending: [Int] = []
        var shares: HostShares?
        /// The number of the last budget.
        var budget = 0
        var isDrained = false
    }

    let lease: WorkerLease
    let report: @Sendable (WorkerReport) -> Void
    private let plan: ShardPlan
    private let shardCount: Int
    private let state = Guarded(State())
    /// Changes when a shard or a drain arrives.
    private let arrivals = LatestValue<Int>()

    init(
        _ plan: ShardPlan,
        _ shardCount: Int,
        lease: WorkerLease,
        report: @escaping @Sendable (WorkerReport) -> Void
    ) {
        self.plan = plan
        self.shardCount = shardCount
        self.lease = lease
        self.report = report
    }

    /// Whether no more shards are accepted.
    var isDrained: Bool { state.withLock(\.isDrained) }

    /// Follows the orders until they end.
    func follow(_ orders: some ByteReading) async {
        var lines = LineSplitter(limit: WorkerOrder.limit)
        while let chunk = try? await orders.read(), !chunk.isEmpty {
            for line in lines.split(chunk) where !line.bytes.isEmpty {
                guard !line.isTooLong else {
                    report(.problem("an order is longer than 1 MiB"))
                    continue
                }
                do throws(BulkError) {
                    if let order = try WorkerOrder(line.bytes) { follow(order) }
                } catch {
                    report(.problem(error.description))
                }
            }
        }
    }

    func follow(_ order: WorkerOrder) {
        switch order {
        case .lease(let time): lease.renew(for: time)
        case .shard(let name): give(name)
        case .cancel(let name): cancel(name)
        case .budget(let shares, let number):
            state.withLock { state in
                (state.shares, state.budget) = (shares, number)
                return state.running
            }?.session.share(shares)
        case .block(let host, let time): state.withLock(\.running)?.session.block(host, for: time)
        case .drain:
            state.withLock { state in
                state.isDrained = true
                return state.running
            }?.list.drain()
            arrivals.send(0)
        }
    }

    private func give(_ name: String) {
        guard let shard = number(of: name) else {
            return report(.fail(name, .plan, reason: "the plan has no such shard"))
        }
        let reason = state.withLock { state -> String? in
            if state.isDrained { return "the worker accepts no more shards" }
            if !lease.isHeld { return "the worker has no lease" }
            guard let running = state.running else {
                state.pending.append(shard)
                return nil
            }
            guard running.session.add(shard) else { return "the worker has had this shard" }
            running.list.add(shard)
            return nil
        }
        if let reason { return report(.fail(name, .lease, reason: reason)) }
        arrivals.send(0)
    }

    private func cancel(_ name: String) {
        guard let shard = number(of: name) else { return }
        let running = state.withLock { state in
            state.pending.removeAll { $0 == shard }
            return state.running
        }
        guard let running, running.session.remove(shard) else { return }
        running.book.abandon(shard)
    }

    private func number(of name: String) -> Int? {
        guard let number = Int(name), (0..<shardCount).contains(number), plan.name(of: number) == name else {
            return nil
        }
        return number
    }

    /// Waits until there is something to do under a lease; `false` if nothing will be.
    func waitForWork() async -> Bool {
        for await _ in arrivals.makeReader() {
            let (isDrained, isEmpty) = state.withLock { ($0.isDrained, $0.pending.isEmpty) }
            if isEmpty, isDrained { return false }
            if !isEmpty { return await lease.waitUntilHeld() }
        }
        return false
    }

    /// Gives a session the shards that have arrived, and all that follow.
    func begin(_ session: WorkerSession, _ list: AssignedShards, _ book: ShardBook) {
        state.withLock { state in
            for shard in state.pending where session.add(shard) { list.add(shard) }
            state.pending = []
            state.running = Running(session: session, list: list, book: book)
            if let shares = state.shares { session.share(shares) }
            if state.isDrained { list.drain() }
        }
    }

    /// Reports the shards of a session that has ended without them.
    func end(_ session: WorkerSession, _ ending: RunSummary.Ending) {
        let lost = state.withLock { state in
            state.running = nil
            return session.end()
        }
        let (kind, reason): (WorkerReport.FailClass, String) =
            switch ending {
            case .refused(let reason): (.plan, reason)
            case .unwritable(let reason): (.storage, reason)
            case .finished, .failedFast, .interrupted: (.lease, "the lease or the orders ended")
            }
        for shard in lost { report(.fail(plan.name(of: shard), kind, reason: reason)) }
    }

    /// Reports what happens now.
    func tell(_ progress: FetchProgress) {
        report(.heartbeat(lease: lease.remaining))
        let (running, budget) = state.withLock { ($0.running, $0.budget) }
        guard let running else { return }
        let hosts = running.session.demand
        report(.progress(progress, shards: running.book.counts(), hosts: hosts, budget: budget))
    }
}
