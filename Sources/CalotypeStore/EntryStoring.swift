/// A store that lasts: of renditions, of sources, of both.
public protocol EntryStoring: Storing where Key == StoreKey, Value == StoredEntry {
    /// Whether it keeps what it is given now; a store that does not is given nothing.
    var takesEntries: Bool { get }

    /// Replaces the metadata of the entry for `key`, if there is one, and leaves its bytes as they are.
    ///
    /// - Throws: The store's own error; `CancellationError` when the task is cancelled while it waits.
    func replaceMetadata(_ metadata: [UInt8], for key: StoreKey) async throws
}

extension EntryStoring {
    /// Always, unless a store says otherwise.
    public var takesEntries: Bool { true }

    /// Writes the whole entry anew; a store that can do better does.
    public func replaceMetadata(_ metadata: [UInt8], for key: StoreKey) async throws {
        guard var entry = try await value(for: key) else { return }
        entry.metadata = metadata
        try await replaceValue(entry, for: key)
    }
}
