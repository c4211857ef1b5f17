package import CalotypeStore
internal import TaskFlow

/// The queues of a disk cache as lists in memory, for simulations, where entries leave at the front only.
package struct ListedQueues: EntryQueueing {
    private var small = Queue()
    private var main = Queue()

    package init() {}

    package var bytes: Int { small.bytes + main.bytes }

    package func bytes(in segment: QueueSegment) -> Int {
        segment == .small ? small.bytes : main.bytes
    }

    package func oldest(in segment: QueueSegment) -> QueuedEntry? {
        segment == .small ? small.first : main.first
    }

    package mutating func append(_ entry: QueuedEntry, to segment: QueueSegment) {
        if segment == .small { small.append(entry) } else { main.append(entry) }
    }

    package mutating func moveToEndOfMain(_ entry: QueuedEntry) {
        remove(entry)
        main.append(entry)
    }

    package mutating func remove(_ entry: QueuedEntry) {
        if small.first == entry {
            small.removeFirst()
        } else {
            precondition(main.first == entry, "an entry in the middle of a queue is to be removed")
            main.removeFirst()
        }
    }
}

private struct Queue {
    private(set) var first: QueuedEntry?
    private(set) var bytes = 0
    private var rest = FIFO<QueuedEntry>()

    mutating func append(_ entry: QueuedEntry) {
        if first == nil { first = entry } else { rest.append(entry) }
        bytes += entry.bytes
    }

    mutating func removeFirst() {
        bytes -= first?.bytes ?? 0
        first = rest.popFirst()
    }
}
