import CalotypeCore
import CalotypeStore
import StoreTrials
import Testing

@Suite(.timeLimit(.minutes(1)))
struct EvictionQueueTests {
    @Test func `an empty cache has nothing to remove`() {
        var queue = EvictionQueue(capacity: ByteCount(100))
        var queues = ListedQueues()
        #expect(queue.step(&queues) == .empty)
    }

    @Test func `an entry that was not hit leaves, and enters the main queue when it comes back`() {
        var queue = EvictionQueue(capacity: ByteCount(100))
        var queues = ListedQueues()
        let entry = QueuedEntry(id: 1, key: 7, bytes: 10)
        #expect(queue.place(7, ByteCount(10), isBulk: true) == .small)
        queues.append(entry, to: .small)
        #expect(queue.step(&queues) == .removed(entry))
        #expect(queue.place(7, ByteCount(10), isBulk: true) == .main)
    }

    @Test func `an entry that was hit moves on, and its hits are used up`() {
        var queue = EvictionQueue(capacity: ByteCount(100))
        var queues = ListedQueues()
        let entry = QueuedEntry(id: 1, key: 7, bytes: 10)
        queues.append(entry, to: .small)
        for _ in 0..<3 { queue.hits.add(7) }
        #expect(queue.step(&queues) == .moved(entry))
        #expect(queues.bytes(in: .main) == 10)
        #expect(queue.step(&queues) == .removed(entry))
        #expect(queue.place(7, ByteCount(10), isBulk: true) == .small, "the main queue leaves no ghost")
    }

    @Test(arguments: 0...5)
    func `an entry of the main queue goes round once for each hit up to three`(_ hits: Int) {
        var queue = EvictionQueue(capacity: ByteCount(100))
        var queues = ListedQueues()
        let entry = QueuedEntry(id: 1, key: 7, bytes: 10)
        queues.append(entry, to: .main)
        for _ in 0..<hits { queue.hits.add(7) }
        for _ in 0..<min(hits, 3) { #expect(queue.step(&queues) == .moved(entry)) }
        #expect(queue.step(&queues) == .removed(entry))
    }

    @Test func `the main queue gives way while the small one has less than its tenth`() {
        var queue = EvictionQueue(capacity: ByteCount(100))
        var queues = ListedQueues()
        queues.append(QueuedEntry(id: 1, key: 1, bytes: 9), to: .small)
        queues.append(QueuedEntry(id: 2, key: 2, bytes: 90), to: .main)
        #expect(queue.step(&queues) == .removed(QueuedEntry(id: 2, key: 2, bytes: 90)))
        #expect(queue.step(&queues) == .removed(QueuedEntry(id: 1, key: 1, bytes: 9)))
    }

    @Test func `large is a hundredth of the cache, or what was said`() {
        #expect(EvictionQueue.largeEntry(.mebibytes(8), capacity: .mebibytes(100)) == .mebibytes(1))
        #expect(EvictionQueue.largeEntry(.mebibytes(8), capacity: .mebibytes(10_000)) == .mebibytes(8))
    }

    @Test func `a large entry is stored when it is offered again`() {
        var queue = EvictionQueue(capacity: ByteCount(1000))
        #expect(queue.place(1, ByteCount(10)) == .small)
        #expect(queue.place(2, ByteCount(11)) == nil)
        #expect(queue.place(2, ByteCount(11)) == .main)
        #expect(queue.place(3, ByteCount(11), isBulk: true) == .small)
    }

    @Test func `a large entry that comes back too late is offered for the first time`() {
        var queue = EvictionQueue(capacity: ByteCount(1000))
        #expect(queue.place(1, ByteCount(100)) == nil)
        for key in 2...10 as ClosedRange<UInt64> { #expect(queue.place(key, ByteCount(100)) == nil) }
        #expect(queue.place(1, ByteCount(100)) == nil, "900 bytes came in between")
        #expect(queue.place(10, ByteCount(100)) == .main)
    }

    @Test func `what is larger than the cache is never stored`() {
        var queue = EvictionQueue(capacity: ByteCount(1000))
        for _ in 0..<3 { #expect(queue.place(1, ByteCount(1001), isBulk: true) == nil) }
    }

    @Test func `entries removed on request are not remembered`() {
        var queue = EvictionQueue(capacity: ByteCount(1000))
        #expect(queue.place(1, ByteCount(100)) == nil)
        #expect(queue.place(2, ByteCount(100)) == nil)
        queue.hits.add(1)
        queue.forget(1)
        #expect(queue.hits.value(1) == 0)
        #expect(queue.place(1, ByteCount(100)) == nil)
        queue.forgetAll()
        #expect(queue.place(2, ByteCount(100)) == nil)
    }

    @Test func `remembered keys are bounded by number as well`() {
        var queue = EvictionQueue(capacity: ByteCount(1000), largeEntry: ByteCount(0), ghostLimit: 4)
        for key in 0..<5 as Range<UInt64> { #expect(queue.place(key, ByteCount(1)) == nil) }
        #expect(queue.place(4, ByteCount(1)) == .main)
        #expect(queue.place(0, ByteCount(1)) == nil)
    }

    @Test func `hits of a bounded number of keys are remembered, the latest`() {
        let hits = HitCounts(limit: 1600)
        for key in 0..<100_000 as Range<UInt64> { hits.add(key) }
        #expect(hits.count <= 1632)
        #expect(hits.count > 700)
        #expect(hits.value(99_999) == 1)
        #expect(hits.value(0) == 0)
    }

    @Test func `hits that are counted on all sides are all counted`() async {
        let hits = HitCounts()
        await withTaskGroup { group in
            for _ in 0..<2 {
                group.addTask { for key in 0..<2000 as Range<UInt64> { hits.add(key) } }
            }
        }
        for key in 0..<2000 as Range<UInt64> { #expect(hits.value(key) == 2) }
        hits.clear(5)
        #expect(hits.value(5) == 0)
        #expect(hits.count == 1999)
        hits.clearAll()
        #expect(hits.count == 0)
    }
}
