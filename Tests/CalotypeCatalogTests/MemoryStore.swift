import CalotypeCore
import CalotypeStore

/// A store that lasts from one pipeline of a test to the next.
final class MemoryStore: EntryStoring {
    private let entries = MemoryCache<StoreKey, StoredEntry> { ByteCount($0.bytes.count) }

    var count: Int { entries.snapshot.count }

    func value(for key: StoreKey) async throws -> StoredEntry? {
        entries.value(for: key)
    }

    func store(_ value: StoredEntry, for key: StoreKey) async throws -> StoredEntry {
        entries.store(value, for: key)
    }

    func replaceValue(_ value: StoredEntry, for key: StoreKey) async throws {
        entries.replaceValue(value, for: key)
    }

    func removeValue(for key: StoreKey) async throws {
        entries.removeValue(for: key)
    }

    func removeAll() async throws {
        entries.removeAll()
    }
}
