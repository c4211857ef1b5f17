internal import CalotypeCore
internal import CalotypeDigests
internal import CalotypePlatform
internal import CalotypeSQLite
internal import TaskFlow

/// The service behind a disk cache: opens the folder, runs the writer and the readers, and starts over if the
/// index fails.
final class DiskCacheService: Sendable {
    static let retryDelay = Duration.seconds(30)
    /// After this many damaged indexes in a row, the disk is at fault.
    private static let damageLimit = 3

    let configuration: DiskCacheConfiguration
    let clock: any Clock<Duration>
    /// The time since 1970, which may jump; no decision depends on it.
    let milliseconds: @Sendable () -> Int64
    let mailbox: CacheMailbox
    let reads = ReadQueue()
    let hits = HitCounts()
    let notices: NoticeBoard
    /// Set when the folder has been opened, or could not be.
    let opened = Latch<Void>()
    private let counts = Guarded(DiskCacheSnapshot())

    init(
        _ configuration: DiskCacheConfiguration,
        clock: any Clock<Duration>,
        milliseconds: @escaping @Sendable () -> Int64
    ) {
        self.configuration = configuration
        self.clock = clock
        self.milliseconds = milliseconds
        let batchCost = max(min(16 << 20, configuration.limit.bytes / 10), 1)
        mailbox = CacheMailbox(stagingLimit: configuration.stagingLimit, batchCost: batchCost)
        notices = NoticeBoard(configuration.onNotice)
    }

    // MARK: Counts

    var snapshot: DiskCacheSnapshot {
        var snapshot = counts.withLock { $0 }
        let (cost, dropped) = mailbox.look { ($0.cost, $0.dropped) }
        snapshot.stagedBytes = ByteCount(cost)
        snapshot.dropped += dropped
        return snapshot
    }

    func publish(_ change: (inout DiskCacheSnapshot) -> Void) {
        counts.withLock { change(&$0) }
    }

    /// Sets how the cache can be used from now on.
    func open(_ access: DiskCacheSnapshot.Access, accepting acceptance: StagedWrites.Acceptance) {
        publish { $0.access = access }
        mailbox.change { $0.acceptance = acceptance }
        opened.set(())
    }

    // MARK: Sessions

    /// Runs sessions until ``CacheMailbox/end()``.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            // Not on the cache's threads, all of which may hang with the disk.
            group.addTask(executorPreference: globalConcurrentExecutor) {
                await self.reads.endLateLookUps(self.clock)
            }
            await runSessions()
            group.cancelAll()
        }
    }

    private func runSessions() async {
        var damages = 0
        while true {
            let end = await session()
            if case .damaged = end { damages += 1 } else { damages = 0 }
            switch end {
            case .ended: return finish()
            case .vanished: notices.post(.vanished, "the cache's folder was removed; starting a new cache")
            case .damaged where damages < Self.damageLimit, .lookAgain: break
            case .damaged(let reason), .unusable(let reason), .unwritable(let reason): await rest(reason)
            }
            if mailbox.isEnding { return finish() }
        }
    }

    /// Reports that there is no cache, because it has no threads to run on.
    func giveUp(_ reason: String) {
        notices.post(.unusable, "the cache is not used: \(reason)")
        open(.unusable(reason), accepting: .nothing)
        mailbox.end()
        reads.close()
    }

    private func finish() {
        reads.close()
        open(.ended, accepting: .nothing)
        for command in mailbox.takeContents().commands { command.decline() }
    }

    /// Finds and stores nothing for a while.
    private func rest(_ reason: String) async {
        notices.post(.unusable, "the cache is not used: \(reason)")
        open(.unusable(reason), accepting: .removals)
        mailbox.change { $0.dropWaitingValues() }
        reads.close()
        _ = await waitForEnd(atMost: Self.retryDelay)
    }

    /// Waits for a while or until the scope ends, and declines commands meanwhile.
    ///
    /// Returns early, with the reason, if the index turns out to be damaged.
    func waitForEnd(atMost time: Duration) async -> String? {
        let stopwatch = Stopwatch(clock)
        while stopwatch.now < time, !mailbox.isEnding {
            await mailbox.wait(for: .urgency, atMost: time - stopwatch.now, clock: clock)
            let contents = mailbox.takeContents()
            for command in contents.commands { command.decline() }
            if let damage = contents.damage { return damage }
        }
        return nil
    }
}

/// Reports problems, once for each kind until it is over.
final class NoticeBoard: Sendable {
    /// The kinds of problems.
    enum Kind: Hashable, Sendable {
        case unusable, notOwner, damagedIndex, damagedEntry, vanished, refused, logHeld
    }

    private let told = Guarded<Set<Kind>>([])
    private let tell: (@Sendable (String) -> Void)?

    init(_ tell: (@Sendable (String) -> Void)?) {
        self.tell = tell
    }

    func post(_ kind: Kind, _ text: @autoclosure () -> String) {
        guard let tell, told.withLock({ $0.insert(kind).inserted }) else { return }
        tell(text())
    }

    /// Records that the problem is over; the next of its kind is reported again.
    func clear(_ kind: Kind) {
        told.withLock { _ = $0.remove(kind) }
    }
}
