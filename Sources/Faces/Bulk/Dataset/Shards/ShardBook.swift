internal import CalotypeCore
import CalotypeFiles
internal import TaskFlow

/// The shards of a run: which of their samples have ended, and what is done when all have.
///
/// The list is read in order by one caller of ``needsNothing(_:)``; samples end in any order.
final class ShardBook: Sendable {
    /// A shard in progress.
    private final class OpenShard: Sendable {
        struct State {
            /// What identifies the entry of each sample of earlier runs, by its place in the shard.
            var former: [Int: UInt64]
            var endedCount = 0
            /// What identifies the entries that were read so far, and their number.
            var list: UInt64 = 0
            var readCount = 0
            var isCommitting = false
        }

        let number: Int
        let journal: ShardJournal
        let start = ShardStats.now()
        let state: Guarded<State>

        init(_ number: Int, _ journal: ShardJournal, former: [Int: UInt64]) {
            self.number = number
            self.journal = journal
            state = Guarded(State(former: former, endedCount: former.count))
        }
    }

    /// The shard whose entries are being read.
    private enum Current {
        case none
        /// Of another slice.
        case foreign(Int)
        /// Complete, with what identifies its entries, then and now.
        case complete(Int, list: String?, now: UInt64)
        case open(OpenShard)
    }

    let plan: ShardPlan
    private let folder: DatasetFolder
    private let schema: SampleSchema
    private let options: DatasetOptions
    private let commits: ShardCommit
    private let ledger: DatasetLedger
    private let stop: Latch<RunSummary.Ending>
    private let executor: ThreadExecutor
    /// Awaited before a shard is begun.
    private let room: @Sendable () async -> Void
    /// Receives the number of each shard that was completed.
    private let onCommit: @Sendable (Int) -> Void
    private let current = Guarded(Current.none)
    private let open = Guarded<[Int: OpenShard]>([:])
    /// The number of the shard after the last one that was begun.
    private let end: Guarded<Int>

    init(
        _ options: DatasetOptions,
        _ schema: SampleSchema,
        folder: DatasetFolder,
        plan: ShardPlan,
        ledger: DatasetLedger,
        stop: Latch<RunSummary.Ending>,
        executor: ThreadExecutor,
        mayClaim: @escaping @Sendable () -> Bool = { true },
        room: @escaping @Sendable () async -> Void = {},
        onCommit: @escaping @Sendable (Int) -> Void = { _ in }
    ) {
        self.room = room
        self.onCommit = onCommit
        self.options = options
        self.schema = schema
        self.folder = folder
        self.plan = plan
        self.ledger = ledger
        self.stop = stop
        self.executor = executor
        commits = ShardCommit(folder: folder, plan: plan, mayClaim: mayClaim)
        end = Guarded(plan.firstShard)
    }

    /// Whether the next entry of the list was handled by an earlier run, or belongs to another slice.
    ///
    /// If it differs from what an earlier run read at its place, the run stops.
    func needsNothing(_ item: ListItem) async -> Bool {
        if item.invalidReason?.code == .fileNotReadable {
            stop.set(.unwritable(item.invalidReason?.message ?? ""))
            return true
        }
        let shard = plan.shard(of: item.index)
        if item.index == plan.indices(of: shard).lowerBound {
            await endReading()
            await begin(shard)
        }
        guard stop.value == nil else { return true }
        let state = current.withLock { current in
            if case .complete(let number, let list, let now) = current {
                current = .complete(number, list: list, now: item.fingerprint(after: now))
            }
            return current
        }
        switch state {
        case .none, .foreign: return true
        case .complete:
            ledger.skip()
            return true
        case .open(let shard): return note(item, of: shard)
        }
    }

    /// Ends the list: what is left of its shards is completed if all of their samples have ended.
    func endReading() async {
        let last = current.withLock { current in
            defer { current = .none }
            return current
        }
        switch last {
        case .complete(let shard, let list?, let now) where list != Self.text(now):
            refuse("the list differs from the one that shard \(plan.name(of: shard)) was made from")
        case .open(let shard): await commitIfEnded(shard)
        default: break
        }
    }

    /// Completes the shards whose samples have all ended, at the end of the list.
    func commitRest() async {
        await checkLength()
        guard stop.value == nil else { return }
        for shard in open.withLock({ $0.values.sorted { $0.number < $1.number } }) {
            if shard.state.withLock({ $0.endedCount > $0.readCount }) {
                return refuse("the list is shorter than the one that was read before")
            }
            await commitIfEnded(shard, isLast: true)
        }
    }

    /// Refuses a list that has fewer shards than the one that was read before.
    private func checkLength() async {
        let (end, plan) = (end.withLock { $0 }, plan)
        do {
            let others = try await executor.run {
                let next = try RetryPass.firstShard(after: plan.firstShard, in: self.folder)
                return (self.folder.completeShards() + self.folder.unfinishedShards())
                    .filter { $0 >= end && $0 < next }
            }
            if let shard = others.min() {
                refuse("the list ends before shard \(plan.name(of: shard)), which was made from a longer one")
            }
        } catch {
            stop.set(.unwritable("\(error)"))
        }
    }

    private func refuse(_ reason: String) {
        stop.set(.refused("\(reason); give the same list or another output folder"))
    }

    /// Records a sample, and completes its shard if it was the last one.
    func end(_ item: ListItem, _ sample: Sample, _ picture: [UInt8]) async {
        guard let shard = open.withLock({ $0[plan.shard(of: item.index)] }) else { return ledger.drop() }
        do {
            try await executor.run { try shard.journal.append(sample, picture) }
        } catch {
            return stop.set(.unwritable("\(error)"))
        }
        ledger.end(sample, bytes: picture.count)
        shard.state.withLock { $0.endedCount += 1 }
        await commitIfEnded(shard)
    }

    private func note(_ item: ListItem, of shard: OpenShard) -> Bool {
        let fingerprint = item.fingerprint(after: 0)
        let former = shard.state.withLock { state in
            state.list = item.fingerprint(after: state.list)
            state.readCount += 1
            return state.former.removeValue(forKey: item.index % plan.samplesPerShard)
        }
        guard let former else { return false }
        if former == fingerprint {
            ledger.skip()
        } else {
            refuse("entry \(item.index + 1) of the list differs from the one that was read before")
        }
        return true
    }

    private func begin(_ shard: Int) async {
        end.withLock { $0 = shard + 1 }
        guard shard % options.slice.count == options.slice.index else {
            return current.withLock { $0 = .foreign(shard) }
        }
        await room()
        do {
            let next = try await executor.run { try self.opened(shard) }
            current.withLock { $0 = next }
            if case .complete = next { onCommit(shard) }
        } catch let error as BulkError {
            stop.set(.refused(error.description))
        } catch {
            stop.set(.unwritable("\(error)"))
        }
    }

    private func completed(_ shard: Int) throws -> Current? {
        guard try commits.rollForward(shard) else { return nil }
        try folder.removeLeftovers(of: shard, plan.name(of: shard), isComplete: true)
        return .complete(shard, list: try commits.list(of: shard), now: 0)
    }

    private func opened(_ shard: Int) throws -> Current {
        let name = plan.name(of: shard)
        if let complete = try completed(shard) { return complete }
        guard try folder.lock(shard) else {
            throw BulkError("another run is writing shard \(name) of \(folder.path)")
        }
        // The process that had the lock may have claimed the shard in the meantime.
        if let complete = try completed(shard) { return complete }
        try folder.removeLeftovers(of: shard, name, isComplete: false)
        let journal = try commits.journal(of: shard)
        var former: [Int: UInt64] = [:]
        for entry in try journal.repair() {
            let item = ListItem(
                index: entry.sample.index,
                url: entry.sample.url,
                fields: entry.sample.fields
            )
            former[item.index % plan.samplesPerShard] = item.fingerprint(after: 0)
        }
        let made = OpenShard(shard, journal, former: former)
        open.withLock { $0[shard] = made }
        return .open(made)
    }

    private func commitIfEnded(_ shard: OpenShard, isLast: Bool = false) async {
        let full = plan.count(of: shard.number)
        let ended = shard.state.withLock { state -> (count: Int, list: UInt64)? in
            let isRead = state.readCount == full || isLast
            guard isRead, state.endedCount == state.readCount, state.readCount > 0, !state.isCommitting
            else { return nil }
            state.isCommitting = true
            return (state.readCount, state.list)
        }
        guard let (count, list) = ended else { return }
        do {
            try await executor.run {
                try self.commits.commit(
                    shard.number,
                    shard.journal,
                    ShardStaging(
                        folder: self.folder,
                        schema: self.schema,
                        format: self.options.format,
                        name: self.plan.name(of: shard.number),
                        ending: self.options.encoding.rawValue
                    ),
                    samples: count,
                    list: Self.text(list),
                    since: shard.start
                )
                // Immediately, so that the summary of an interrupted run includes it.
                self.ledger.complete()
                // The C library would keep what this shard needed, and more with every shard.
                FreedMemory.returnToSystem()
            }
            open.withLock { $0[shard.number] = nil }
            shard.journal.close()
            onCommit(shard.number)
        } catch {
            stop.set(.unwritable("shard \(plan.name(of: shard.number)) cannot be completed: \(error)"))
        }
    }

    /// Whether the shard of an entry is in progress.
    func isOpen(_ item: ListItem) -> Bool { open.withLock { $0[plan.shard(of: item.index)] != nil } }

    /// Lets go of a shard that another process makes.
    func abandon(_ shard: Int) {
        open.withLock { $0.removeValue(forKey: shard) }?.journal.close()
    }

    /// Lets go of all shards in progress, and removes their journals if no other run continues them.
    func abandonAll() {
        let shards = open.withLock { open in
            defer { open = [:] }
            return open.values.map(\.number)
        }
        guard folder.isShared else { return }
        folder.removeJournals()
        for shard in shards { ShardGarbage.end(folder.attempt, at: plan.name(of: shard), in: folder) }
    }

    /// The number of samples of each shard in progress that have ended, by the shard's name.
    func counts() -> [(name: String, ended: Int)] {
        open.withLock { $0.values.sorted { $0.number < $1.number } }
            .map { (plan.name(of: $0.number), $0.state.withLock(\.endedCount)) }
    }

    private static func text(_ fingerprint: UInt64) -> String { String(fingerprint, radix: 16) }
}

extension ListItem {
    /// Returns what identifies this entry and those before it.
    fileprivate func fingerprint(after former: UInt64) -> UInt64 {
        fields.reduce(StableHash.hash64(url, seed: former)) { hash, field in
            switch field {
            case .null: StableHash.hash64("\0", seed: hash)
            case .text(let text): StableHash.hash64(text, seed: hash &+ 1)
            case .json(let text): StableHash.hash64(text, seed: hash &+ 2)
            }
        }
    }
}
