import CalotypeDigests
import Testing

@testable import CalotypeStore

struct StagedWritesTests {
    private let key: Digest
    /// Another key of the same group.
    private let inGroup: Digest
    /// A key of another group.
    private let other: Digest
    private let group: DigestGroup
    private let one = StoredEntry(metadata: [1], bytes: [1, 1])
    private let two = StoredEntry(metadata: [2], bytes: [2, 2])
    private let onDisk = StagedWrites.Lookup.onDisk(metadata: nil)

    init() throws {
        let source = StoreGroup(source: "one")
        key = try #require(Digest(StoreKey("a", in: source)))
        inGroup = try #require(Digest(StoreKey("b", in: source)))
        other = try #require(Digest(StoreKey("a", in: StoreGroup(source: "two"))))
        group = try #require(DigestGroup(source))
    }

    private func staged(limit: Int = 1 << 20) -> StagedWrites {
        var staged = StagedWrites(limit: limit)
        staged.acceptance = .everything
        return staged
    }

    @Test func `what is staged is found, while it waits and while it is written`() {
        var staged = staged()
        #expect(staged.lookup(key) == onDisk)
        #expect(staged.store(one, for: key) == nil)
        #expect(staged.lookup(key) == .entry(one))
        let batch = staged.take(count: 64, cost: 1000)
        #expect(batch.writes.map(\.write) == [.store(one)])
        #expect(staged.lookup(key) == .entry(one))
        #expect(staged.store(two, for: key) == one)
        _ = staged.finish()
        #expect(staged.lookup(key) == onDisk)
        #expect(staged.cost == 0)
    }

    enum Change: CaseIterable {
        case store, replace, metadata, remove, removeGroup, removeAll, take
    }

    /// All sequences of up to five changes, with the writer in between: what is found is what a dictionary has, and the
    /// disk has the same in the end.
    @Test func `whatever the order, the last change wins, on the disk too`() {
        for number in 0..<16_807 {
            var model: StoredEntry? = number.isMultiple(of: 2) ? StoredEntry(metadata: [9], bytes: [9]) : nil
            var disk = model
            var staged = staged()
            var rest = number
            for step in 0..<5 {
                let change = Change.allCases[rest % 7]
                rest /= 7
                let entry = StoredEntry(metadata: [UInt8(step)], bytes: [UInt8(step), 1])
                switch change {
                case .store:
                    // As the cache does it, after a look at the disk.
                    if found(staged, disk) == nil { _ = staged.store(entry, for: key) }
                    model = model ?? entry
                case .replace:
                    staged.replace(entry, for: key)
                    model = entry
                case .metadata:
                    staged.replaceMetadata([100], for: key)
                    model?.metadata = [100]
                case .remove:
                    staged.remove(key)
                    model = nil
                case .removeGroup:
                    staged.removeAll(in: group)
                    model = nil
                case .removeAll:
                    staged.removeAll()
                    model = nil
                case .take:
                    apply(staged.take(count: 64, cost: 1 << 20), to: &disk)
                    #expect(found(staged, disk) == model)
                    _ = staged.finish()
                }
                #expect(found(staged, disk) == model, "\(number), step \(step)")
            }
            apply(staged.take(count: 64, cost: 1 << 20), to: &disk)
            #expect(disk == model, "\(number)")
        }
    }

    private func found(_ staged: StagedWrites, _ disk: StoredEntry?) -> StoredEntry? {
        switch staged.lookup(key) {
        case .entry(let entry): entry
        case .absent: nil
        case .onDisk(let metadata):
            disk.map { StoredEntry(metadata: metadata ?? $0.metadata, bytes: $0.bytes) }
        }
    }

    private func apply(_ batch: StagedWrites.Batch, to disk: inout StoredEntry?) {
        if batch.clears || batch.groups.contains(group) { disk = nil }
        for (_, write) in batch.writes {
            switch write {
            case .store(let entry): disk = disk ?? entry
            case .replace(let entry): disk = entry
            case .metadata(let metadata): disk?.metadata = metadata
            case .remove: disk = nil
            }
        }
    }

    @Test func `after a refusal no old value is found, and newer changes stay`() {
        var staged = staged()
        staged.replace(one, for: key)
        _ = staged.store(one, for: other)
        _ = staged.take(count: 64, cost: 1000)
        staged.replace(two, for: other)
        staged.fail()
        #expect(staged.dropped == 2)
        #expect(staged.lookup(key) == .absent)
        #expect(staged.lookup(other) == .entry(two))
        #expect(staged.take(count: 64, cost: 1000).writes.map(\.write) == [.replace(two), .remove])
    }

    @Test func `a removal of all that was refused is tried again, before what came later`() {
        var staged = staged()
        staged.removeAll()
        _ = staged.take(count: 64, cost: 1000)
        _ = staged.store(one, for: key)
        staged.fail()
        #expect(staged.lookup(other) == .absent && staged.lookup(key) == .entry(one))
        let batch = staged.take(count: 64, cost: 1000)
        #expect(batch.clears && batch.writes.map(\.write) == [.store(one)])
    }

    @Test
    func
        `a group's removal that was refused is tried again, before what came later, and leaves others alone`()
        throws
    {
        var staged = staged()
        _ = staged.store(two, for: other)
        staged.removeAll(in: group)
        #expect(staged.lookup(key) == .absent && staged.lookup(other) == .entry(two))
        _ = staged.take(count: 64, cost: 1000)
        _ = staged.store(one, for: key)
        staged.fail()
        #expect(staged.lookup(key) == .entry(one) && staged.lookup(inGroup) == .absent)
        #expect(staged.lookup(other) == onDisk)
        let batch = staged.take(count: 64, cost: 1000)
        #expect(batch.groups == [group] && batch.writes.map(\.write) == [.store(one)])
        _ = staged.finish()
        #expect(staged.cost == 0 && staged.waitingCount == 0 && staged.lookup(inGroup) == onDisk)
    }

    @Test func `while the disk takes no values removals are kept in mind`() {
        var staged = staged()
        _ = staged.store(one, for: key)
        staged.acceptance = .removals
        staged.dropWaitingValues()
        #expect(staged.lookup(key) == onDisk && staged.dropped == 1)
        #expect(staged.store(two, for: key) == nil)
        #expect(staged.lookup(key) == onDisk && staged.dropped == 2)
        staged.replace(two, for: key)
        #expect(staged.lookup(key) == .absent && staged.dropped == 3)
    }

    @Test func `a batch is bounded by count and by cost, and in order`() {
        var staged = staged()
        let keys = (0..<10).map { Digest(bytes: Array(repeating: UInt8($0), count: 32)) }
        for key in keys { _ = staged.store(one, for: key) }
        let cost = StagedWrite.store(one).cost
        #expect(staged.take(count: 3, cost: 1 << 20).writes.map(\.key) == Array(keys[..<3]))
        _ = staged.finish()
        #expect(staged.take(count: 64, cost: 2 * cost).writes.map(\.key) == Array(keys[3..<5]))
        _ = staged.finish()
        #expect(staged.take(count: 64, cost: 0).writes.map(\.key) == [keys[5]])
        _ = staged.finish()
        #expect(staged.waitingCount == 4 && staged.waitingCost == 4 * cost && staged.cost == 4 * cost)
    }

    @Test func `any number of removals takes bounded memory`() {
        var staged = staged(limit: 10_000)
        for number in 0..<1000 {
            staged.remove(Digest(bytes: [UInt8(number % 256), UInt8(number / 256)]))
        }
        #expect(staged.cost <= 30_000)
        #expect(
            (0..<1000).allSatisfy {
                staged.lookup(Digest(bytes: [UInt8($0 % 256), UInt8($0 / 256)])) == .absent
            }
        )
    }
}
