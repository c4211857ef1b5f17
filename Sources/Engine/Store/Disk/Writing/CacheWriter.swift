internal import CalotypeCore
internal import CalotypeDigests
internal import CalotypeSQLite
internal import TaskFlow

/// The cache's only writer: writes staged changes to the disk in batches, makes room, and repairs.
///
/// It owns the index for the length of a session. Between two batches nothing is half done.
final class CacheWriter {
    private static let groupDelay = Duration.milliseconds(10)
    private static let scanDelay = Duration.milliseconds(50)
    private static let tidyDelay = Duration.seconds(1)

    let index: DiskIndex
    let service: DiskCacheService
    var eviction: EvictionQueue
    private let identity: FileIdentity?
    var scan: FileScan?
    var needsTidying = false
    /// Why values cannot be written now, and for how much longer.
    private var pause: (WritePause, remaining: () -> Duration)?

    init(_ index: DiskIndex, _ service: DiskCacheService) {
        self.index = index
        self.service = service
        identity = index.folder.indexIdentity
        // Only the capacity decides what is large: the limit of an entry was applied when it arrived.
        eviction = EvictionQueue(
            capacity: service.configuration.limit,
            largeEntry: ByteCount(.max),
            hits: service.hits
        )
        if index.conditionBefore != .clean {
            let scan = newScan()
            self.scan = scan.isDone ? nil : scan
        }
    }

    var mailbox: CacheMailbox { service.mailbox }

    /// Writes until the scope ends or the index is no longer usable.
    func run() async -> SessionEnd {
        service.publish { $0.isRepairing = self.scan != nil }
        if let end = attempt({ () throws(SQLiteError) in try recount() }) { return end }
        publishTotals()
        while true {
            await waitForWork()
            let contents = mailbox.takeContents()
            let end = attempt { () throws(SQLiteError) in try turn(contents) }
            switch end {
            // The next session carries them out.
            case .damaged, .vanished: mailbox.putBack(contents.commands)
            // Commands that were carried out have already had their reply.
            default: for command in contents.commands { command.decline() }
            }
            if let end { return end }
            if contents.isEnding { return .ended }
        }
    }

    /// Runs `work`; if it throws, ends the session for a damaged index, otherwise leaves the disk alone for a
    /// while.
    private func attempt(_ work: () throws(SQLiteError) -> SessionEnd?) -> SessionEnd? {
        do throws(SQLiteError) {
            return try work()
        } catch {
            if error.meansDamage { return .damaged(error.message) }
            rest(WritePause(error))
            return nil
        }
    }

    private func recount() throws(SQLiteError) -> SessionEnd? {
        if index.conditionBefore == .inUse { try index.countAnew() }
        return nil
    }

    /// Closes the index and records its condition; all readers have left.
    func close() {
        // If the condition cannot be recorded, the next session finds out.
        let condition: IndexCondition = scan == nil ? .clean : index.isRecovering ? .recovering : .unscanned
        do throws(SQLiteError) { try index.close(condition) } catch {
            index.abandon()
        }
    }

    private func waitForWork() async {
        if let (_, remaining) = pause {
            return await mailbox.wait(for: .urgency, atMost: max(remaining(), .zero), clock: service.clock)
        }
        let delay = scan != nil ? Self.scanDelay : needsTidying ? Self.tidyDelay : nil
        await mailbox.wait(for: .anything, atMost: delay, clock: service.clock)
        guard mailbox.look({ $0.waitingCount > 0 }) else { return }
        await mailbox.wait(for: .fullBatch, atMost: Self.groupDelay, clock: service.clock)
    }

    /// Does everything there is to do now.
    private func turn(_ contents: CacheMailbox.Contents) throws(SQLiteError) -> SessionEnd? {
        guard index.folder.indexIdentity == identity else { return .vanished }
        if let reason = contents.damage { return .damaged(reason) }
        endRestIfOver(orNow: contents.isEnding)
        try remove(contents.suspicions)
        if pause == nil { try write(contents.changes) }
        if !contents.isUrgent, contents.changes == 0 {
            try idle()
        } else if contents.changes > 0, !contents.isEnding {
            // A cache that is never idle is repaired too, a little at a time.
            try stepScan(limit: 10)
        }
        for command in contents.commands { try carryOut(command) }
        return contents.isEnding ? .ended : nil
    }

    // MARK: Writing

    /// Writes the changes that waited when the turn began, batch by batch.
    private func write(_ count: Int) throws(SQLiteError) {
        var written = 0
        while written < count, pause == nil {
            let batch = mailbox.takeBatch()
            guard batch.count > 0 else { return }
            written += batch.count
            try write(batch)
        }
    }

    private func write(_ batch: StagedWrites.Batch) throws(SQLiteError) {
        needsTidying = true
        do throws(SQLiteError) {
            guard try index.logHasRoom(service.configuration.logLimit) else {
                mailbox.change { $0.fail() }
                return rest(.logHeld)
            }
            service.notices.clear(.logHeld)
            let refused = try apply(batch)
            TaskSchedule.pause("between a batch and its end")
            let done = mailbox.change { $0.finish() }
            withExtendedLifetime(done) {}
            publishTotals()
            if let refused { rest(refused) } else { service.notices.clear(.refused) }
        } catch {
            mailbox.change { $0.fail() }
            if error.meansDamage { throw error }
            rest(WritePause(error))
        }
    }

    /// Leaves the disk alone for a while; removals are remembered.
    private func rest(_ refused: WritePause) {
        service.notices.post(refused.kind, "the cache stores nothing at the moment: \(refused.reason)")
        let stopwatch = Stopwatch(service.clock)
        pause = (refused, { refused.rest - stopwatch.now })
        mailbox.change { staged in
            staged.dropWaitingValues()
            staged.acceptance = .removals
        }
    }

    private func endRestIfOver(orNow isEnding: Bool) {
        guard let (_, remaining) = pause, isEnding || remaining() <= .zero else { return }
        pause = nil
        mailbox.change { $0.acceptance = .everything }
    }

    func publishTotals() {
        let (count, bytes) = (index.entryCount, index.bytes)
        service.publish {
            $0.entries = count
            $0.bytes = ByteCount(bytes)
        }
    }
}
