import CalotypeCore
import CalotypeFiles
import CalotypeHTTP
import CalotypeStore

/// Sources in the lasting store, and what the origin said is not there.
struct SourceStore: Sendable {
    let store: WriteBehind
    /// The fields sent with each request of the pipeline: others may use the store too.
    let headers: [HeaderField]

    /// What the store has of the source; what is no record is nothing.
    ///
    /// - Throws: `CancellationError` when nobody wants it any more.
    func record(for key: SourceKey) async throws -> SourceRecord? {
        guard let name = StoreKey(key, sentWith: headers), let entry = try await store.entry(for: name) else {
            return nil
        }
        do throws(RecordError) {
            let record = try SourceRecord(entry)
            return entry.bytes.count <= key.limits.sourceBytes.bytes ? record : nil
        } catch {
            store.remove(name)
            return nil
        }
    }

    /// Has the record written in the place of what is there.
    ///
    /// - Returns: Whether there was room for it.
    @discardableResult
    func write(_ record: SourceRecord, for key: SourceKey) -> Bool {
        guard let name = StoreKey(key, sentWith: headers) else { return false }
        return store.write(record.entry, for: name, isAnew: true)
    }

    /// Has what is there removed.
    func forget(_ key: SourceKey) {
        if let name = StoreKey(key, sentWith: headers) { store.remove(name) }
    }

    /// Has the version written anew.
    func refresh(_ record: SourceRecord, for key: SourceKey) {
        guard let name = StoreKey(key, sentWith: headers) else { return }
        store.replaceMetadata(record.entry.metadata, for: name)
    }
}

/// What a store keeps of a source: its bytes, or that there is none.
enum SourceRecord {
    /// The bytes, and which version they are.
    case bytes([UInt8], SourceVersion)
    /// The origin said that there is nothing (404, 410).
    case absent(SourceVersion)

    private static let layout: UInt8 = 2

    var version: SourceVersion {
        switch self {
        case .bytes(_, let version), .absent(let version): version
        }
    }

    /// The entry for it.
    var entry: StoredEntry {
        var writer = RecordWriter(version: Self.layout)
        let bytes: [UInt8]
        switch self {
        case .bytes(let content, _):
            writer.add(true)
            bytes = content
        case .absent:
            writer.add(false)
            bytes = []
        }
        version.write(to: &writer)
        return StoredEntry(metadata: writer.bytes, bytes: bytes)
    }

    /// The source in `entry`.
    ///
    /// - Throws: `RecordError`.
    init(_ entry: StoredEntry) throws(RecordError) {
        var reader = try RecordReader(entry.metadata, version: Self.layout)
        let hasBytes = try reader.flag()
        let version = try SourceVersion(&reader)
        try reader.finish()
        self = hasBytes ? .bytes(entry.bytes, version) : .absent(version)
    }
}
