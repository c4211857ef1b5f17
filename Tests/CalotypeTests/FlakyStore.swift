import CalotypeCore
import CalotypeSamplePictures
import CalotypeStore
import TaskFlow

/// A store in memory that takes its time, and fails now and then.
final class FlakyStore: EntryStoring {
    struct Broken: Error {}

    private struct State {
        var random: SeededRandom
        var values: [StoreKey: StoredEntry]
    }

    let takesEntries: Bool
    private let clock: any Clock<Duration>
    private let failures: Int
    private let state: Guarded<State>

    /// Creates a store whose calls take up to half a second, and of which `failures` in a hundred fail.
    init(
        _ values: [StoreKey: StoredEntry] = [:],
        seed: UInt64,
        clock: any Clock<Duration>,
        failures: Int,
        takesEntries: Bool = true
    ) {
        self.clock = clock
        self.failures = failures
        self.takesEntries = takesEntries
        state = Guarded(State(random: SeededRandom(seed: seed), values: values))
    }

    var values: [StoreKey: StoredEntry] { state.withLock { $0.values } }

    func value(for key: StoreKey) async throws -> StoredEntry? {
        try await pause()
        let value = state.withLock { $0.values[key] }
        try await pause()
        return value
    }

    func store(_ value: StoredEntry, for key: StoreKey) async throws -> StoredEntry {
        try await change { values in
            if let first = values[key] { return first }
            values[key] = value
            return value
        }
    }

    func replaceValue(_ value: StoredEntry, for key: StoreKey) async throws {
        try await change { $0[key] = value }
    }

    func replaceMetadata(_ metadata: [UInt8], for key: StoreKey) async throws {
        try await change { $0[key]?.metadata = metadata }
    }

    func removeValue(for key: StoreKey) async throws {
        try await change { $0[key] = nil }
    }

    func removeEntries(in group: StoreGroup) async throws {
        try await change { values in values = values.filter { !group.contains($0.key.group) } }
    }

    func removeAll() async throws {
        try await change { $0 = [:] }
    }

    private func change<Output: Sendable>(
        _ body: @Sendable (inout [StoreKey: StoredEntry]) -> Output
    ) async throws -> Output {
        try await pause()
        let output = state.withLock { body(&$0.values) }
        try await pause()
        return output
    }

    private func pause() async throws {
        let (milliseconds, fails) = state.withLock { state in
            (
                Int.random(in: 0...250, using: &state.random),
                Int.random(in: 0..<100, using: &state.random) < failures
            )
        }
        try await clock.sleep(for: .milliseconds(milliseconds))
        if fails { throw Broken() }
    }
}
