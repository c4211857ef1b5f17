internal import CalotypeStore
internal import TaskFlow
internal import TaskFlowTesting

/// What each key may be found to have: changes take effect when they are made, one after the other.
///
/// There may be several answers, since a store may refuse a change.
final class KeyModel: Sendable {
    typealias Answers = Set<StoredEntry?>

    private let history = Guarded<[StoreKey: [Answers]]>([:])
    private let readRefusals = Guarded<[StoreKey: Int]>([:])

    /// What is found now.
    func answers(_ key: StoreKey) -> Answers { history.withLock { $0[key]?.last ?? [nil] } }

    /// Takes note of a change, at the moment it is made.
    func change(_ key: StoreKey, _ write: StagedWrite) {
        let answers = answers(key)
        var changed = Set(answers.flatMap { $0.changed(by: write) })
        switch write {
        // A value for a key that may have one, and metadata, are one change in which one of the two may be lost.
        case .store: changed.formUnion(answers.flatMap { before(key, $0) })
        case .metadata where answers.count > 1: changed.formUnion(answers)
        default: break
        }
        note(key, changed)
    }

    /// What has the bytes of the entry, with whatever metadata it was found with so far.
    private func before(_ key: StoreKey, _ entry: StoredEntry?) -> [StoredEntry?] {
        guard let entry else { return [] }
        return history.withLock { ($0[key] ?? []).joined().filter { $0?.bytes == entry.bytes } }
    }

    /// Takes note that something may be found besides.
    func allow(_ entry: StoredEntry?, for key: StoreKey) {
        note(key, answers(key).union([entry]))
    }

    private func note(_ key: StoreKey, _ answers: Answers) {
        history.withLock { $0[key, default: [[nil]]].append(answers) }
    }

    // MARK: Refusals

    /// The store, which holds `entry`, did not make a change, or says that it did not.
    func refused(_ write: StagedWrite, of key: StoreKey, holding entry: StoredEntry?) {
        let answers = answers(key)
        switch write {
        case .store(let new), .replace(let new):
            if answers.contains(where: { $0?.bytes == new.bytes }) { allow(nil, for: key) }
        case .metadata(let metadata):
            if answers.contains(where: { $0?.metadata == metadata }) { allow(entry, for: key) }
        case .remove:
            // A store is not asked twice, unless there is a value to be put in the place of the old one.
            if answers.contains(nil) { allow(entry, for: key) }
        }
    }

    /// The store did not answer in time, or not at all.
    func refusedRead(of key: StoreKey) {
        readRefusals.withLock { $0[key, default: 0] += 1 }
    }

    // MARK: Readers

    /// The moment at which a read begins.
    struct Moment: Sendable {
        let change: Int
        let refusals: Int
    }

    func begin(_ key: StoreKey) -> Moment {
        Moment(
            change: history.withLock { max(($0[key]?.count ?? 0) - 1, 0) },
            refusals: readRefusals.withLock { $0[key] ?? 0 }
        )
    }

    /// Checks what a read that began at `moment` has found.
    func check(_ entry: StoredEntry?, for key: StoreKey, since moment: Moment) throws {
        if entry == nil, readRefusals.withLock({ $0[key] ?? 0 }) > moment.refusals { return }
        let possible = history.withLock { Set(($0[key] ?? [[nil]])[moment.change...].joined()) }
        guard !possible.contains(entry) else { return }
        let words = possible.map(EntryWords.of).sorted().joined(separator: " or ")
        throw ScheduleError("\(key.text) is \(EntryWords.of(entry)), and should be \(words)")
    }

}

/// How entries are told to people.
enum EntryWords {
    /// The entry's version, and the one of its metadata.
    static func of(_ entry: StoredEntry?) -> String {
        guard let entry else { return "nothing" }
        let (version, metadata) = (entry.bytes.first ?? 0, entry.metadata.first ?? 0)
        return version == metadata ? "version \(version)" : "version \(version) with metadata \(metadata)"
    }
}

extension StoredEntry {
    /// An entry that tells its version in its bytes and in its metadata.
    init(version: UInt8, length: Int = 4) {
        self.init(metadata: [version], bytes: [UInt8](repeating: version, count: length))
    }
}

extension StoredEntry? {
    /// What a key that has this entry may have after a change.
    fileprivate func changed(by write: StagedWrite) -> [StoredEntry?] {
        switch (self, write) {
        case (nil, .store(let new)): [new]
        // What waits to be stored is found, until the store turns out to have another.
        case (let old, .store(let new)): [old, new]
        case (_, .replace(let new)): [new]
        case (nil, .metadata), (_, .remove): [nil]
        case (let old?, .metadata(let metadata)): [StoredEntry(metadata: metadata, bytes: old.bytes)]
        }
    }
}
