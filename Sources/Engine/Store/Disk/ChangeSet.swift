internal import CalotypeDigests

/// Changes in the order in which their keys came, one for each key.
struct ChangeSet: Sendable {
    /// Everything that was there before the changes goes.
    var clears = false
    private(set) var cost = 0
    private var changes: [Digest: StagedWrite] = [:]
    private var order: [Digest] = []
    /// Where the first key that has not been taken stands in the order.
    private var head = 0

    var count: Int { changes.count }

    /// The changes, oldest first.
    var inOrder: [(key: Digest, write: StagedWrite)] {
        order[head...].compactMap { key in changes[key].map { (key, $0) } }
    }

    /// The change of `key`; a new one keeps the place of the one before.
    subscript(key: Digest) -> StagedWrite? {
        get { changes[key] }
        set {
            guard let newValue else { preconditionFailure("a staged change is taken, never forgotten") }
            if let old = changes.updateValue(newValue, forKey: key) {
                cost -= old.cost
            } else {
                order.append(key)
            }
            cost += newValue.cost
        }
    }

    /// Takes the oldest changes: at most `count`, and beyond the first no more than `cost` together.
    mutating func takeFirst(count: Int, cost limit: Int) -> ChangeSet {
        var taken = ChangeSet()
        taken.clears = clears
        clears = false
        while taken.count < count, head < order.count {
            let key = order[head]
            guard let change = changes[key], taken.count == 0 || taken.cost + change.cost <= limit else {
                break
            }
            head += 1
            changes[key] = nil
            cost -= change.cost
            taken[key] = change
        }
        dropTakenKeys()
        return taken
    }

    private mutating func dropTakenKeys() {
        guard head > 64, head * 2 > order.count else { return }
        order.removeFirst(head)
        head = 0
    }
}
