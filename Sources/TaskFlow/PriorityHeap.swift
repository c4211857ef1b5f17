/// A binary heap of tickets, most urgent first and then oldest first, in which any ticket can be moved or removed.
///
/// Every operation takes logarithmic time.
struct PriorityHeap {
    struct Entry {
        let ticket: UInt64
        let weight: Int
        var priority: WorkPriority

        func precedes(_ other: Entry) -> Bool {
            priority == other.priority ? ticket < other.ticket : priority > other.priority
        }
    }

    private var entries: [Entry] = []
    private var positions: [UInt64: Int] = [:]

    var count: Int { entries.count }
    var first: Entry? { entries.first }

    mutating func insert(_ entry: Entry) {
        positions[entry.ticket] = entries.count
        entries.append(entry)
        siftUp(entries.count - 1)
    }

    /// Removes the ticket; nil when it is not here.
    @discardableResult
    mutating func remove(_ ticket: UInt64) -> Entry? {
        guard let index = positions[ticket] else { return nil }
        swap(index, entries.count - 1)
        let removed = entries.removeLast()
        positions[ticket] = nil
        if index < entries.count { settle(index) }
        return removed
    }

    /// Gives the ticket another priority, at its old age; false when it is not here.
    mutating func reprioritise(_ ticket: UInt64, to priority: WorkPriority) -> Bool {
        guard let index = positions[ticket] else { return false }
        entries[index].priority = priority
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
        positions[entries[first].ticket] = first
        positions[entries[second].ticket] = second
    }
}
