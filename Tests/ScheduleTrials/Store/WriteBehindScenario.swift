internal import Calotype
internal import CalotypeCore
internal import CalotypeStore
internal import TaskFlow
internal import TaskFlowTesting

extension ScheduleScenario {
    static let writeBehind = ScheduleScenario(
        "what is written behind is what readers see",
        reaches: [
            "removed while it is written", "read what is still queued", "closed with writes queued",
            "failed write retried", "too much to be written", "flushed",
        ],
        stepLimit: 20_000,
        program: WriteBehindStep.program,
        run: WriteBehindRun.run
    )
}

/// A run of a program: readers and writers of one write-behind, over a store that is slow and refuses.
final class WriteBehindRun: Sendable {
    private let model = KeyModel()
    private let store: ScriptedStore
    private let room: Int
    private let isClosed = Guarded(false)

    private init(_ steps: [WriteBehindStep]) {
        var manners: [Int: ScriptedStore.Manner] = [:]
        var (room, cost): (Int?, Int) = (nil, 0)
        for step in steps {
            switch step.action {
            case .manner(let call, let manner): manners[call] = manner
            case .room(let bytes): room = bytes
            case .store(_, let length), .replace(_, let length): cost += length + 1024
            default: cost += 1024
            }
        }
        store = ScriptedStore(manners, model: model)
        // Unless the program says otherwise, there is room for all of it.
        self.room = room ?? cost + 1
    }

    static let run: @Sendable ([WriteBehindStep]) async throws -> Void = { steps in
        try await WriteBehindRun(steps).run(steps)
    }

    private func run(_ steps: [WriteBehindStep]) async throws {
        let behind: WriteBehind = try await withTaskScope(ending: .drain) { scope in
            let behind = WriteBehind(
                store,
                background: scope,
                clock: ContinuousClock(),
                pendingBytes: ByteCount(room)
            )
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<3 {
                    let own = steps.filter { $0.task == task }
                    group.addTask(name: "task \(task)") {
                        for step in own { try await self.take(step, behind, scope) }
                    }
                }
                try await group.waitForAll()
            }
            return behind
        }
        guard behind.isQuiet, store.activeCount == 0 else {
            throw ScheduleError("left at the end: \(behind.load), \(store.activeCount) calls")
        }
        guard !isClosed.withLock(\.self) else { return }
        for key in Set(steps.map(\.key)).sorted(by: { $0.text < $1.text }) {
            try model.check(store.held(key), for: key, since: model.begin(key))
        }
    }

    private func take(_ step: WriteBehindStep, _ behind: WriteBehind, _ scope: TaskScope) async throws {
        if step.pause > 0 { try await Task.sleep(for: .milliseconds(step.pause)) }
        let key = step.key
        switch step.action {
        case .read: try await read(key, behind)
        case .cancelledRead: await readCancelled(key, behind)
        case .store(let version, let length):
            try write(.store(StoredEntry(version: version, length: length)), key, behind)
        case .replace(let version, let length):
            try write(.replace(StoredEntry(version: version, length: length)), key, behind)
        case .metadata(let version):
            // Whether there is room for it is not told.
            guard behind.load.weight + 1024 < room else { return }
            scheduleNote("gives metadata \(version) to \(key.text)")
            if !isClosed.withLock(\.self) { model.change(key, .metadata([version])) }
            behind.replaceMetadata([version], for: key)
        case .remove:
            scheduleNote("removes \(key.text)")
            if store.isWriting(key) { sometimes("removed while it is written") }
            model.change(key, .remove)
            behind.remove(key)
        case .flush: try await flush(behind)
        case .waitForRoom: try await behind.waitForRoom()
        case .close:
            if behind.load.keys > 0 { sometimes("closed with writes queued") }
            isClosed.withLock { $0 = true }
            scope.cancelAll()
        case .manner, .room: break
        }
        await Task.yield()
    }

    private func write(_ write: StagedWrite, _ key: StoreKey, _ behind: WriteBehind) throws {
        guard let entry = write.entry else { return }
        var isAnew = false
        if case .replace = write { isAnew = true }
        let before = behind.load
        let isTaken = behind.write(entry, for: key, isAnew: isAnew)
        scheduleNote("\(isTaken ? "has" : "finds no room for") \(write.word) \(key.text)")
        if isTaken { return model.change(key, write) }
        if isAnew { model.change(key, .remove) }
        let weight = before.weight
        if !isClosed.withLock(\.self), weight == 0 || weight + write.cost <= room {
            throw ScheduleError(
                "of \(room) bytes \(weight) were taken, so there was room for \(write.word) \(key.text)"
            )
        }
        sometimes("too much to be written")
    }

    private func read(_ key: StoreKey, _ behind: WriteBehind) async throws {
        let moment = model.begin(key)
        let isQueued = behind.load.keys > 0 && !model.answers(key).contains(store.held(key))
        let entry = try await behind.entry(for: key)
        scheduleNote("reads \(EntryWords.of(entry)) of \(key.text)")
        if isQueued, entry != nil { sometimes("read what is still queued") }
        try check(entry, key, moment)
    }

    private func check(_ entry: StoredEntry?, _ key: StoreKey, _ moment: KeyModel.Moment) throws {
        if !isClosed.withLock(\.self) { try model.check(entry, for: key, since: moment) }
    }

    private func readCancelled(_ key: StoreKey, _ behind: WriteBehind) async {
        let task = Task(name: "cancelled reader") { try await behind.entry(for: key) }
        await Task.yield()
        task.cancel()
        _ = await task.result
    }

    private func flush(_ behind: WriteBehind) async throws {
        let keys = ["a", "b"].map { StoreKey($0) }
        let moments = keys.map { model.begin($0) }
        let start = ContinuousClock.now
        await behind.flush()
        guard ContinuousClock.now - start < WriteBehind.patience else { return }
        sometimes("flushed")
        scheduleNote("has flushed")
        for (key, moment) in zip(keys, moments) { try check(store.held(key), key, moment) }
    }
}
