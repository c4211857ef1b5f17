import CalotypeCore
import CalotypeFiles
import CalotypeHTTP
import CalotypeStore

/// The sources in the persistent store, and those that the origin said do not exist.
struct SourceStore: Sendable {
    let store: WriteBehind
    /// The fields that the pipeline sends with each request; other pipelines may use the store too.
    let headers: [HeaderField]

    /// Returns the stored record of the source; `nil` if there is none, or if it is damaged or too large.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    func record(for key: SourceKey) async throws -> SourceRecord? {
        guard let name = StoreKey(key, sentWith: headers), let entry = try await store.entry(for: name) else {
            return nil
        }
        do throws(SystemError) {
            let record = try SourceRecord(entry)
            return entry.bytes.count <= key.limits.sourceBytes.bytes ? record : nil
        } catch {
            store.remove(name)
            return nil
        }
    }

    /// Writes the record in the background, replacing another.
    ///
    /// - Returns: Whether there was room for it.
    @discardableResult
    func write(_ record: SourceRecord, for key: SourceKey) -> Bool {
        guard let name = StoreKey(key, sentWith: headers) else { return false }
        return store.write(record.entry, for: name, isAnew: true)
    }

    /// Removes the record in the background.
    func forget(_ key: SourceKey) {
        if let name = StoreKey(key, sentWith: headers) { store.remove(name) }
    }

    /// Writes the new version in the background; the stored bytes stay.
    func refresh(_ record: SourceRecord, for key: SourceKey) {
        guard let name = StoreKey(key, sentWith: headers) else { return }
        store.replaceMetadata(record.entry.metadata, for: name)
    }
}

/// A source as a store entry: its bytes, or the fact that it does not exist.
enum SourceRecord {
    /// The bytes and their version.
    case bytes([UInt8], SourceVersion)
    /// The origin responded that the source does not exist (404, 410).
    case absent(SourceVersion)

    private static let layout: UInt8 = 2

    var version: SourceVersion {
        switch self {
        case .bytes(_, let version), .absent(let version): version
        }
    }

    /// The entry for the record.
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

    /// Reads the record in `entry`.
    ///
    /// - Throws: `SystemError`.
    init(_ entry: StoredEntry) throws(SystemError) {
        var reader = try RecordReader(entry.metadata, version: Self.layout)
        let hasBytes = try reader.flag()
        let version = try SourceVersion(&reader)
        try reader.finish()
        self = hasBytes ? .bytes(entry.bytes, version) : .absent(version)
    }
}
