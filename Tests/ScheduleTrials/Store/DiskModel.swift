internal import CalotypeStore
internal import TaskFlow
internal import TaskFlowTesting

/// What each key of a disk cache may be found to have.
///
/// A change takes effect when it is made; a value that is stored for a key without one, at some moment of the call.
final class DiskModel: Sendable {
    typealias Answers = Set<StoredEntry?>

    private struct State {
        var history: [StoreKey: [Answers]] = [:]
        /// What calls of `store` that have not returned may still bring.
        var storing: [StoreKey: [StoredEntry]] = [:]
        var loses = false
        var isClosed = false

        func answers(_ key: StoreKey) -> Answers { history[key]?.last ?? [nil] }

        mutating func note(_ key: StoreKey, _ answers: Answers) {
            // What is lost makes room for what is being stored.
            let lost: Answers = loses ? Answers(storing[key] ?? []).union([nil]) : []
            history[key, default: [[nil]]].append(answers.union(lost))
        }
    }

    private let state = Guarded(State())

    /// Everything may be lost from now on; that is no reason for old values to be found.
    func lose() {
        state.withLock { state in
            state.loses = true
            for key in state.history.keys { state.note(key, state.answers(key)) }
        }
    }

    var isClosed: Bool { state.withLock(\.isClosed) }

    /// Nothing is found any more, or something by those who were early.
    func close() {
        state.withLock { $0.isClosed = true }
    }

    // MARK: Changes

    func replace(_ key: StoreKey, _ entry: StoredEntry) {
        state.withLock { $0.note(key, [entry]) }
    }

    func remove(_ key: StoreKey) {
        state.withLock { $0.note(key, Answers($0.storing[key] ?? []).union([nil])) }
    }

    func replaceMetadata(_ key: StoreKey, _ metadata: [UInt8]) {
        state.withLock { state in
            let old = state.answers(key)
            var new = Answers(old.map { $0.map { StoredEntry(metadata: metadata, bytes: $0.bytes) } })
            // A value on its way comes before or after, and takes its place if both wait.
            if old.count > 1 || !(state.storing[key] ?? []).isEmpty { new.formUnion(old) }
            state.note(key, new)
        }
    }

    /// A call that stores begins.
    func beginStore(_ key: StoreKey, _ entry: StoredEntry) -> Int {
        state.withLock { state in
            state.storing[key, default: []].append(entry)
            let old = state.answers(key)
            state.note(key, old.contains(nil) ? old.union([entry]) : old)
            return state.history[key]?.count ?? 0
        }
    }

    /// It has ended, and said what is there now.
    func endStore(_ key: StoreKey, _ entry: StoredEntry, _ found: StoredEntry?, since begin: Int) {
        state.withLock { state in
            if let index = state.storing[key]?.firstIndex(of: entry) { state.storing[key]?.remove(at: index) }
            guard let found, state.history[key]?.count == begin else { return }
            state.note(key, [found])
        }
    }

    // MARK: Readers

    /// The moment at which a read begins.
    func begin(_ key: StoreKey) -> Int { state.withLock { max(($0.history[key]?.count ?? 0) - 1, 0) } }

    /// Checks what a read that began at `moment` has found.
    func check(_ entry: StoredEntry?, for key: StoreKey, since moment: Int) throws {
        let possible = state.withLock { state in
            let found = Answers((state.history[key] ?? [[nil]])[moment...].joined())
            return state.isClosed ? found.union([nil]) : found
        }
        guard !possible.contains(entry) else { return }
        let words = possible.map(EntryWords.of).sorted().joined(separator: " or ")
        throw ScheduleError("\(key.text) is \(EntryWords.of(entry)), and should be \(words)")
    }
}
