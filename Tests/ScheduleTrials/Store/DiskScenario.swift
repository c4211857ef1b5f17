internal import CalotypeCore
internal import CalotypeStore
internal import TaskFlow
internal import TaskFlowTesting

extension ScheduleScenario {
    static let disk = ScheduleScenario(
        "the disk cache keeps what it is given, and nothing that was replaced or removed",
        reaches: [
            "replaced between row and file", "removed while it is written", "closed with writes queued",
            "looked up while it closes", "values refused", "evicted",
        ],
        stepLimit: 20_000,
        program: DiskStep.program,
        run: DiskRun.run
    )
}

/// A run of a program: readers and writers of one disk cache, in a folder of its own.
final class DiskRun: Sendable {
    private let folder = TrialCacheFolder()
    private let model = DiskModel()
    private let limit: ByteCount
    private let loses: Bool
    private let isSpoilt: Bool
    private let late = Guarded<[Task<Void, any Error>]>([])

    static let run: @Sendable ([DiskStep]) async throws -> Void = { steps in
        let run = DiskRun(steps)
        defer { run.folder.remove() }
        try await run.run(steps)
    }

    private init(_ steps: [DiskStep]) {
        var limit = ByteCount.mebibytes(1)
        for step in steps { if case .limit(let bytes) = step.action { limit = bytes } }
        self.limit = limit
        loses = steps.contains(where: \.loses)
        isSpoilt = steps.contains { if case .spoil = $0.action { true } else { false } }
        if loses { model.lose() }
    }

    private func run(_ steps: [DiskStep]) async throws {
        var configuration = DiskCacheConfiguration(folder: folder.path)
        configuration.limit = limit
        configuration.inlineLimit = ByteCount(64)
        configuration.onNotice = { scheduleNote("notice: \($0)") }
        let cache = try await withDiskCache(configuration, milliseconds: { 1_700_000_000_000 }) { cache in
            try await fill(steps, cache)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<3 {
                    let own = steps.filter { $0.task == task }
                    group.addTask(name: "task \(task)") {
                        for step in own { try await self.take(step, cache) }
                    }
                }
                try await group.waitForAll()
            }
            if cache.snapshot.stagedBytes.bytes > 0 { sometimes("closed with writes queued") }
            model.close()
            return cache
        }
        for task in late.withLock(\.self) { try await task.value }
        try checkEnd(cache)
    }

    private func fill(_ steps: [DiskStep], _ cache: DiskCache) async throws {
        let keys = steps.filter { if case .filled = $0.action { true } else { false } }.map(\.key)
        // A small cache keeps what it is offered for the second time.
        for version in [UInt8(101), 102] where !keys.isEmpty {
            for key in keys {
                let entry = StoredEntry(version: version, length: 200)
                model.replace(key, entry)
                cache.replaceValue(entry, for: key)
            }
            try await cache.flush()
        }
    }

    private func checkEnd(_ cache: DiskCache) throws {
        let snapshot = cache.snapshot
        if snapshot.evicted > 0 { sometimes("evicted") }
        if snapshot.dropped > 0 { sometimes("values refused") }
        guard snapshot.access == .ended, snapshot.stagedBytes.bytes == 0 || loses else {
            throw ScheduleError("left at the end: \(snapshot)")
        }
        let others = folder.files.keys.filter { !$0.hasPrefix("blobs") && !$0.hasPrefix("away") }.sorted()
        guard others == ["index.db", "owner.lock"] else {
            throw ScheduleError("files at the end: \(others)")
        }
    }

    private func take(_ step: DiskStep, _ cache: DiskCache) async throws {
        if step.pause > 0 { try await Task.sleep(for: .milliseconds(step.pause)) }
        let key = step.key
        switch step.action {
        case .read: try await read(key, cache)
        case .cancelledRead:
            let task = Task(name: "cancelled reader") { try await cache.value(for: key) }
            await Task.yield()
            task.cancel()
            _ = await task.result
        case .lateRead: add(Task(name: "late reader") { try await self.read(key, cache) })
        case .store(let version, let length):
            try await store(StoredEntry(version: version, length: length), key, cache)
        case .flush: try await cache.flush()
        case .verify: try await verify(cache)
        case .trim(let size): try await cache.trim(to: size)
        case .spoil: folder.spoil()
        case .mend: folder.mend()
        case .damage: folder.damage()
        case .replace, .metadata, .remove, .removeAll, .limit, .filled: await change(step, cache)
        }
        if step.isUrgent { try await cache.flush() }
        if limit < .mebibytes(1) { try checkLimit(cache) }
        await Task.yield()
    }

    /// The changes that take effect when they are made.
    private func change(_ step: DiskStep, _ cache: DiskCache) async {
        let key = step.key
        scheduleNote("\(step.action) \(key.text)")
        switch step.action {
        case .replace(let version, let length):
            let entry = StoredEntry(version: version, length: length)
            model.replace(key, entry)
            cache.replaceValue(entry, for: key)
        case .metadata(let version):
            model.replaceMetadata(key, [version])
            await cache.replaceMetadata([version], for: key)
        case .remove:
            if cache.snapshot.stagedBytes.bytes > 0 { sometimes("removed while it is written") }
            model.remove(key)
            cache.removeValue(for: key)
        case .removeAll:
            for name in ["a", "b", "c", "d"] { model.remove(StoreKey(name)) }
            cache.removeAll()
        default: break
        }
    }

    private func store(_ entry: StoredEntry, _ key: StoreKey, _ cache: DiskCache) async throws {
        let begin = model.beginStore(key, entry)
        let found = try await cache.store(entry, for: key)
        scheduleNote("stores \(EntryWords.of(entry)), has \(EntryWords.of(found)) as \(key.text)")
        model.endStore(key, entry, found, since: begin)
    }

    private func read(_ key: StoreKey, _ cache: DiskCache) async throws {
        let moment = model.begin(key)
        let start = ContinuousClock.now
        let isEarly = !model.isClosed
        let entry = try await cache.value(for: key)
        if isEarly, model.isClosed { sometimes("looked up while it closes") }
        scheduleNote("reads \(EntryWords.of(entry)) of \(key.text)")
        guard ContinuousClock.now - start <= .seconds(5) else {
            throw ScheduleError("a look-up took \(ContinuousClock.now - start)")
        }
        try model.check(entry, for: key, since: moment)
    }

    private func verify(_ cache: DiskCache) async throws {
        let report = try await cache.verify()
        guard report.isSound || loses else { throw ScheduleError("the check found \(report)") }
    }

    private func checkLimit(_ cache: DiskCache) throws {
        // What was out of the writer's reach could not be removed.
        let bytes =
            isSpoilt ? 0 : folder.files.filter { $0.key.hasPrefix("blobs/") }.reduce(0) { $0 + $1.value }
        let told = cache.snapshot.bytes
        guard bytes <= limit.bytes, told <= limit else {
            throw ScheduleError("\(bytes) bytes in files, \(told) in all, of \(limit)")
        }
    }

    private func add(_ task: Task<Void, any Error>) {
        late.withLock { $0.append(task) }
    }
}
