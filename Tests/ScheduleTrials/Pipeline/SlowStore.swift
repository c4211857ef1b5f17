import CalotypeStore
import TaskFlow
import TaskFlowTesting

/// A store in memory that takes its time and fails now and then; it counts the calls that are under way.
final class SlowStore: EntryStoring {
    struct Broken: Error {}

    /// How it answers.
    struct Manners: Sendable, Hashable {
        /// How many of a hundred calls fail.
        var failures = 0
        /// The longest pause of a call, in steps of ten milliseconds; each call has two.
        var slowness = 3
        var takesEntries = true
    }

    private struct State {
        var random: ScheduleRandom
        var values: [StoreKey: StoredEntry] = [:]
        var calls = 0
    }

    private let manners: Manners
    private let state: Guarded<State>

    init(_ manners: Manners = Manners(), seed: UInt64 = 0) {
        self.manners = manners
        state = Guarded(State(random: ScheduleRandom(seed: seed)))
    }

    var takesEntries: Bool { manners.takesEntries }

    /// The calls that have not returned.
    var callCount: Int { state.withLock(\.calls) }

    func value(for key: StoreKey) async throws -> StoredEntry? {
        try await call { $0[key] }
    }

    func store(_ value: StoredEntry, for key: StoreKey) async throws -> StoredEntry {
        try await call { values in
            if let first = values[key] { return first }
            values[key] = value
            return value
        }
    }

    func replaceValue(_ value: StoredEntry, for key: StoreKey) async throws {
        try await call { $0[key] = value }
    }

    func replaceMetadata(_ metadata: [UInt8], for key: StoreKey) async throws {
        try await call { $0[key]?.metadata = metadata }
    }

    func removeValue(for key: StoreKey) async throws {
        try await call { $0[key] = nil }
    }

    func removeAll() async throws {
        try await call { $0 = [:] }
    }

    private func call<Output: Sendable>(
        _ body: @Sendable (inout [StoreKey: StoredEntry]) -> Output
    ) async throws -> Output {
        state.withLock { $0.calls += 1 }
        defer { state.withLock { $0.calls -= 1 } }
        try await pause()
        let output = state.withLock { body(&$0.values) }
        try await pause()
        return output
    }

    private func pause() async throws {
        let (steps, fails) = state.withLock { state in
            (
                Int.random(in: 0...manners.slowness, using: &state.random),
                Int.random(in: 0..<200, using: &state.random) < manners.failures
            )
        }
        if steps > 0 { try await Task.sleep(for: .milliseconds(steps * 10)) } else { await Task.yield() }
        if fails { throw Broken() }
    }
}
