/// A binary heap in which any entry can be moved or removed by its identity.
///
/// Every operation takes logarithmic time.
struct PriorityHeap<Entry: HeapEntry> {
    private var entries: [Entry] = []
    private var positions: [UInt64: Int] = [:]

    var count: Int { entries.count }
    var first: Entry? { entries.first }

    mutating func insert(_ entry: Entry) {
        positions[entry.id] = entries.count
        entries.append(entry)
        siftUp(entries.count - 1)
    }

    /// Removes the entry; nil if the heap does not contain it.
    @discardableResult
    mutating func remove(_ id: UInt64) -> Entry? {
        guard let index = positions[id] else { return nil }
        swap(index, entries.count - 1)
        let removed = entries.removeLast()
        positions[id] = nil
        if index < entries.count { settle(index) }
        return removed
    }

    /// Changes the entry and moves it to its new rank; false if the heap does not contain it.
    mutating func update(_ id: UInt64, _ change: (inout Entry) -> Void) -> Bool {
        guard let index = positions[id] else { return false }
        change(&entries[index])
        settle(index)
        return true
    }

    private mutating func settle(_ index: Int) {
        siftUp(index)
        siftDown(index)
    }

    private mutating func siftUp(_ start: Int) {
        var index = start
        while index > 0 {
            let parent = (index - 1) / 2
            guard entries[index].precedes(entries[parent]) else { return }
            swap(index, parent)
            index = parent
        }
    }

    private mutating func siftDown(_ start: Int) {
        var index = start
        while true {
            var best = index
            for child in [2 * index + 1, 2 * index + 2] where child < entries.count {
                if entries[child].precedes(entries[best]) { best = child }
            }
            guard best != index else { return }
            swap(index, best)
            index = best
        }
    }

    private mutating func swap(_ first: Int, _ second: Int) {
        guard first != second else { return }
        entries.swapAt(first, second)
        positions[entries[first].id] = first
        positions[entries[second].id] = second
    }
}

/// An entry of a priority heap, with an identity and a rank.
protocol HeapEntry {
    /// Identifies the entry; at most one entry of a heap has it.
    var id: UInt64 { get }

    /// Whether this entry leaves the heap before the other. A strict order of all entries.
    func precedes(_ other: Self) -> Bool
}
