internal import CalotypeStore
internal import TaskFlow
internal import TaskFlowTesting

/// A store in memory that is slow, or refuses what it is asked for, at the calls that a script names.
final class ScriptedStore: EntryStoring {
    /// What is special about a call.
    enum Manner: Hashable, Sendable {
        /// It takes so long before it does what it is to do, and after.
        case slow(Duration, Duration)
        case refusesBefore
        /// It does what it is to do, and says that it has not.
        case refusesAfter
    }

    struct Refusal: Error {}

    private struct State {
        var entries: [StoreKey: StoredEntry] = [:]
        var calls = 0
        var active = 0
        var writing: [StoreKey: Int] = [:]
        var refusedValues: Set<StoreKey> = []
    }

    private let manners: [Int: Manner]
    private let model: KeyModel
    private let state = Guarded(State())

    init(_ manners: [Int: Manner], model: KeyModel) {
        self.manners = manners
        self.model = model
    }

    /// What it holds of the key.
    func held(_ key: StoreKey) -> StoredEntry? { state.withLock { $0.entries[key] } }
    /// The calls that have not ended.
    var activeCount: Int { state.withLock(\.active) }
    /// Whether a value of the key is on its way.
    func isWriting(_ key: StoreKey) -> Bool { state.withLock { $0.writing[key, default: 0] > 0 } }

    func value(for key: StoreKey) async throws -> StoredEntry? {
        do {
            return try await call("read \(key.text)") { $0[key] }
        } catch {
            model.refusedRead(of: key)
            throw error
        }
    }

    func store(_ entry: StoredEntry, for key: StoreKey) async throws -> StoredEntry {
        try await change(key, .store(entry)) { $0[key] = $0[key] ?? entry }
        return entry
    }

    func replaceValue(_ entry: StoredEntry, for key: StoreKey) async throws {
        try await change(key, .replace(entry)) { $0[key] = entry }
    }

    func replaceMetadata(_ metadata: [UInt8], for key: StoreKey) async throws {
        try await change(key, .metadata(metadata)) { $0[key]?.metadata = metadata }
    }

    func removeValue(for key: StoreKey) async throws {
        try await change(key, .remove) { $0[key] = nil }
        if state.withLock({ $0.refusedValues.remove(key) != nil }) { sometimes("failed write retried") }
    }

    func removeAll() async throws {
        try await call("remove all") { $0 = [:] }
    }

    private func change(
        _ key: StoreKey,
        _ write: StagedWrite,
        _ body: @Sendable (inout [StoreKey: StoredEntry]) -> Void
    ) async throws {
        if write.entry != nil { state.withLock { $0.writing[key, default: 0] += 1 } }
        defer { if write.entry != nil { state.withLock { $0.writing[key, default: 0] -= 1 } } }
        do {
            try await call("\(write.word) \(key.text)", body)
        } catch {
            if case .replace = write { state.withLock { _ = $0.refusedValues.insert(key) } }
            model.refused(write, of: key, holding: held(key))
            throw error
        }
    }

    private func call<Output: Sendable>(
        _ name: String,
        _ body: @Sendable (inout [StoreKey: StoredEntry]) -> Output
    ) async throws -> Output {
        let number = state.withLock { state in
            state.calls += 1
            state.active += 1
            return state.calls
        }
        defer { state.withLock { $0.active -= 1 } }
        let manner = manners[number]
        var (before, after) = (Duration.zero, Duration.zero)
        if case .slow(let first, let second) = manner { (before, after) = (first, second) }
        try await pass(before)
        if manner == .refusesBefore {
            scheduleNote("the store refuses to \(name)")
            throw Refusal()
        }
        let output = state.withLock { body(&$0.entries) }
        scheduleNote("the store does: \(name)")
        try await pass(after)
        if manner == .refusesAfter {
            scheduleNote("the store says that it did not \(name)")
            throw Refusal()
        }
        return output
    }

    private func pass(_ time: Duration) async throws {
        if time > .zero { try await Task.sleep(for: time) } else { await Task.yield() }
    }
}

extension StagedWrite {
    /// What is done, in a word.
    var word: String {
        switch self {
        case .store(let entry): "store \(EntryWords.of(entry)) as"
        case .replace(let entry): "replace by \(EntryWords.of(entry))"
        case .metadata(let metadata): "give metadata \(metadata.first ?? 0) to"
        case .remove: "remove"
        }
    }
}
