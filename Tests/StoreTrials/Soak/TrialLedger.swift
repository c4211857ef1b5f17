/// Which versions of each key a cache may give back, by what its writers have noted.
package struct TrialLedger: Sendable {
    private struct Change {
        let action: TrialRecord.Action
        let version: Int
        /// Which writer did it.
        let writer: Int
    }

    /// Since the last change that is on the disk for certain and leaves no earlier version: it and all later ones.
    private var changes: [Int: [Change]] = [:]
    private let lanes: Int
    private var writer = 0
    /// The number of changes so far.
    package private(set) var count = 0

    package init(lanes: Int) {
        self.lanes = lanes
    }

    /// Takes note that a writer was killed: what it had not flushed may be on the disk or not, whatever the next one does.
    package mutating func beginWriter() {
        writer += 1
    }

    /// Takes note of what a writer did.
    package mutating func add(_ record: TrialRecord) {
        switch record.action {
        case .store, .replace, .remove:
            count += 1
            let change = Change(action: record.action, version: record.version, writer: writer)
            changes[record.key, default: []].append(change)
        case .flushed: settle(lane: Int(record.lane))
        case .wrong: break
        }
    }

    /// Whether a look-up of `key` may give `version`; to give nothing is always right.
    package func allows(_ version: Int, of key: Int) -> Bool {
        changes[key]?.contains { $0.action != .remove && $0.version == version } ?? false
    }

    /// Nothing from before the last change that leaves no earlier version may come back.
    private mutating func settle(lane: Int) {
        for (key, all) in changes where key % lanes == lane {
            let last = all.lastIndex { $0.action != .store && $0.writer == writer }
            if let last, last > 0 { changes[key] = [Change](all[last...]) }
        }
    }
}
