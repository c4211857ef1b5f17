/// A change of one key that a store does not have yet.
package enum StagedWrite: Hashable, Sendable {
    /// Keep the entry, unless the store has one for the key.
    case store(StoredEntry)
    /// Keep the entry in place of what the store has.
    case replace(StoredEntry)
    /// Give what the store has other metadata.
    case metadata([UInt8])
    case remove

    /// The entry that the key has when the change is done, where the change alone tells it.
    package var entry: StoredEntry? {
        switch self {
        case .store(let entry), .replace(let entry): entry
        case .metadata, .remove: nil
        }
    }

    /// What it takes in memory, about.
    package var cost: Int {
        let bytes =
            switch self {
            case .store(let entry), .replace(let entry): entry.metadata.count + entry.bytes.count
            case .metadata(let metadata): metadata.count
            case .remove: 0
            }
        return bytes + 256
    }

    /// One change that does what this one and then `later` would do.
    package func followed(by later: StagedWrite) -> StagedWrite {
        switch (self, later) {
        case (.store, .store), (.replace, .store): self
        case (.remove, .store(let entry)): .replace(entry)
        case (.store(let entry), .metadata(let metadata)):
            .store(StoredEntry(metadata: metadata, bytes: entry.bytes))
        case (.replace(let entry), .metadata(let metadata)):
            .replace(StoredEntry(metadata: metadata, bytes: entry.bytes))
        case (.remove, .metadata): .remove
        case (.metadata, .store), (.metadata, .metadata), (_, .replace), (_, .remove): later
        }
    }

    /// What is left to do of a change that the store refused: no old value may be found in place of a newer one.
    package var afterRefusal: StagedWrite? {
        switch self {
        case .replace, .remove: .remove
        case .store, .metadata: nil
        }
    }
}
