internal import CalotypeCore
internal import CalotypeStore
internal import TaskFlow
internal import TaskFlowTesting

extension ScheduleScenario {
    static let partial = ScheduleScenario(
        "a beginning is taken whole, by one, and once",
        reaches: ["taken by another meanwhile", "taken"],
        program: PartialStep.program,
        run: PartialRun.run
    )

    /// What went wrong once: one took what another had read, and removed what that one had put in its place.
    static let partialFinding = ScheduleScenario(
        "a beginning is not taken by two, nor another removed for it",
        program: { _ in
            [(2, PartialStep.Action.keep), (0, .take), (1, .take), (1, .keep)].enumerated().map {
                index,
                step in
                PartialStep(version: UInt8(index + 1), task: step.0, key: StoreKey("a"), action: step.1)
            }
        },
        run: PartialRun.run
    )
}

/// A step of the programs for beginnings of downloads.
struct PartialStep: Sendable, CustomStringConvertible {
    enum Action: Sendable {
        case keep, take, look, remove, removeAll
    }

    let version: UInt8
    let task: Int
    let key: StoreKey
    let action: Action

    var description: String { "task \(task): \(action) \(key.text), version \(version)" }

    static let program: @Sendable (inout ScheduleRandom) -> [PartialStep] = { random in
        let actions: [Action] = [.keep, .keep, .keep, .take, .take, .take, .look, .look, .remove, .removeAll]
        return (0..<Int.random(in: 2...8, using: &random)).map { number in
            Self(
                version: UInt8(number + 1),
                task: Int.random(in: 0..<3, using: &random),
                key: StoreKey(Int.random(in: 0..<3, using: &random) == 0 ? "b" : "a"),
                action: actions[Int.random(in: actions.indices, using: &random)]
            )
        }
    }
}

/// A run of a program: tasks that keep and take beginnings in one folder, as two processes would.
final class PartialRun: Sendable {
    private let folder = TrialCacheFolder()
    private let stores: [PartialDownloads]
    /// The versions of each key that were kept, or are about to be.
    private let kept = Guarded<[StoreKey: Set<UInt8>]>([:])
    private let taken = Guarded<Set<UInt8>>([])

    static let run: @Sendable ([PartialStep]) async throws -> Void = { steps in
        let run = PartialRun()
        defer { run.folder.remove() }
        try await run.run(steps)
    }

    private init() {
        let path = folder.path
        // No limit is reached: which beginnings are the oldest is the file system's to say, and its clock is no schedule's.
        stores = (0..<2).map { _ in PartialDownloads(in: path) }
    }

    private func run(_ steps: [PartialStep]) async throws {
        // Each task has a thread that may be held up, as those of the pipeline are.
        try await withThreadExecutor(name: "partial", threads: 3) { threads in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<3 {
                    let own = steps.filter { $0.task == task }
                    let store = stores[task % 2]
                    group.addTask(name: "task \(task)", executorPreference: threads) {
                        for step in own {
                            try self.take(step, store)
                            await Task.yield()
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        let names = folder.files.keys.sorted()
        guard names.count <= 2, names.allSatisfy({ !$0.contains("/.") }) else {
            throw ScheduleError("files at the end: \(names)")
        }
    }

    private func take(_ step: PartialStep, _ store: PartialDownloads) throws {
        let key = step.key
        switch step.action {
        case .keep:
            kept.withLock { _ = $0[key, default: []].insert(step.version) }
            scheduleNote("keeps version \(step.version) of \(key.text)")
            let length = PartialDownloads.shortest.bytes + Int(step.version)
            store.keep(StoredEntry(version: step.version, length: length), for: key)
        case .take: try takeBeginning(key, store)
        case .look:
            guard let (metadata, count) = store.look(key) else { return }
            try check(metadata.first ?? 0, count.bytes, key)
        case .remove: store.remove(key)
        case .removeAll: store.removeAll()
        }
    }

    private func takeBeginning(_ key: StoreKey, _ store: PartialDownloads) throws {
        let wasThere = store.look(key) != nil
        let entry = store.take(key)
        scheduleNote("takes \(EntryWords.of(entry)) of \(key.text)")
        guard let entry else {
            if wasThere { sometimes("taken by another meanwhile") }
            return
        }
        sometimes("taken")
        let version = entry.bytes.first ?? 0
        try check(version, entry.bytes.count, key)
        guard entry.bytes.allSatisfy({ $0 == version }), entry.metadata == [version] else {
            throw ScheduleError("\(key.text) is torn: \(EntryWords.of(entry))")
        }
        guard taken.withLock({ $0.insert(version).inserted }) else {
            throw ScheduleError("version \(version) of \(key.text) was taken twice")
        }
    }

    private func check(_ version: UInt8, _ length: Int, _ key: StoreKey) throws {
        guard kept.withLock({ $0[key]?.contains(version) == true }),
            length == PartialDownloads.shortest.bytes + Int(version)
        else { throw ScheduleError("\(key.text) has version \(version), of \(length) bytes") }
    }
}
