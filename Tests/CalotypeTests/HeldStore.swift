import CalotypeCore
import CalotypeStore
import CalotypeTestKit
import TaskFlow

/// A store in memory whose reads and writes a test can hold back or fail, and whose calls it sees.
final class HeldStore: EntryStoring {
    enum Call: Hashable, Sendable {
        case read, write, replace, remove, removeGroup
        /// A write that was cancelled while the test held it back.
        case cutShort
    }

    struct Broken: Error {}

    /// Lets reads go on.
    let mayRead = Event()
    /// Lets writes go on.
    let mayWrite = Event()
    let calls = Recorder<Call>()
    /// Whether it keeps what it is given; a store that another process writes to does not.
    let takesEntries: Bool
    private let fails: Bool
    private let failsReplacing: Bool
    private let values: Guarded<[StoreKey: StoredEntry]>

    /// Creates a store that has the entries of `other`.
    init(
        like other: HeldStore? = nil,
        holdsReads: Bool = false,
        holdsWrites: Bool = false,
        fails: Bool = false,
        failsReplacing: Bool = false,
        takesEntries: Bool = true
    ) {
        values = Guarded(other?.stored ?? [:])
        self.takesEntries = takesEntries
        self.fails = fails
        self.failsReplacing = failsReplacing
        if !holdsReads { mayRead.signal() }
        if !holdsWrites { mayWrite.signal() }
    }

    var stored: [StoreKey: StoredEntry] { values.withLock { $0 } }

    func value(for key: StoreKey) async throws -> StoredEntry? {
        calls.record(.read)
        try await mayRead.wait()
        if fails { throw Broken() }
        return values.withLock { $0[key] }
    }

    func store(_ value: StoredEntry, for key: StoreKey) async throws -> StoredEntry {
        calls.record(.write)
        try await awaitWrite()
        return values.withLock { values in
            if let first = values[key] { return first }
            values[key] = value
            return value
        }
    }

    func replaceValue(_ value: StoredEntry, for key: StoreKey) async throws {
        calls.record(.replace)
        try await awaitWrite()
        if failsReplacing { throw Broken() }
        values.withLock { $0[key] = value }
    }

    func removeValue(for key: StoreKey) async throws {
        calls.record(.remove)
        try await awaitWrite()
        values.withLock { $0[key] = nil }
    }

    func removeEntries(in group: StoreGroup) async throws {
        calls.record(.removeGroup)
        try await awaitWrite()
        values.withLock { values in values = values.filter { !group.contains($0.key.group) } }
    }

    private func awaitWrite() async throws {
        do { try await mayWrite.wait() } catch {
            calls.record(.cutShort)
            throw error
        }
        if fails { throw Broken() }
    }

    func removeAll() async throws {
        values.withLock { $0 = [:] }
    }
}
