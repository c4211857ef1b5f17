import CalotypeCore
import CalotypeStore
import CalotypeTestKit
import Testing

@Suite(.timeLimit(.minutes(1)))
struct DiskCacheTests {
    private let scratch = CacheScratch()
    private let key = StoreKey("https://example.com/a.jpg authorization: secret")

    /// Where a value is kept: in the index, at its limit, in a file.
    private static let sizes = [0, 1, 100, 16 * 1024 - 16, 16 * 1024 + 1, 300_000]

    @Test(arguments: sizes)
    func `a value is found before it is on the disk, afterwards and in the next run`(
        _ size: Int
    ) async throws {
        let entry = StoredEntry.sample(1, bytes: size)
        try await scratch.withCache { cache in
            let stored = try await cache.store(entry, for: key)
            #expect(stored == entry)
            let staged = try await cache.value(for: key)
            #expect(staged == entry)
            try await cache.flush()
            #expect(cache.snapshot.stagedBytes == ByteCount(0))
            let written = try await cache.value(for: key)
            #expect(written == entry)
        }
        try await scratch.withCache { cache in
            #expect(cache.snapshot.entries == 1)
            let found = try await cache.value(for: key)
            #expect(found == entry)
            #expect(cache.snapshot.hits == 1)
            #expect(cache.snapshot.quarantined == 0)
        }
        #expect(scratch.notices.values == [])
    }

    /// More entries of a group than one transaction removes, in the index and in files; and the same again in others.
    @Test(arguments: [false, true])
    func `the entries of a source or a partition are removed together, staged or on the disk`(
        isStaged: Bool
    ) async throws {
        let groups = [nil, "tenant", ""].flatMap { partition in
            ["one", "two"].map { StoreGroup(partition: partition, source: $0) }
        }
        // Keys whose digests begin with any byte.
        let keys = (0..<300).flatMap { number in groups.map { StoreKey("\(number) of \($0)", in: $0) } }
        func entry(_ index: Int) -> StoredEntry {
            .sample(index, bytes: index.isMultiple(of: 25) ? 17_000 : 100)
        }
        let removals = [groups[5], StoreGroup(partition: "tenant"), StoreGroup()]
        func isKept(_ key: StoreKey) -> Bool { key.group == groups[4] }
        try await scratch.withCache { cache in
            for (index, key) in keys.enumerated() { try await cache.store(entry(index), for: key) }
            if !isStaged { try await cache.flush() }
            for group in removals { await cache.removeEntries(in: group) }
            for isFlushed in [false, true] {
                if isFlushed { try await cache.flush() }
                for (index, key) in keys.enumerated() {
                    let found = try await cache.value(for: key)
                    let wanted = isKept(key) ? entry(index) : nil
                    #expect(found == wanted)
                }
            }
            #expect(cache.snapshot.entries == 300 && scratch.valueFiles().count == 12)
            let report = try await cache.verify()
            #expect(report.isSound && report.checked == 300)
            // A removed key can be stored again.
            try await cache.store(entry(0), for: keys[0])
        }
        try await scratch.withCache { cache in
            #expect(cache.snapshot.entries == 301)
            let again = try await cache.value(for: keys[0])
            #expect(again == entry(0))
        }
        #expect(scratch.notices.values == [])
    }

    @Test(arguments: sizes)
    func `a value's changes are found while staged and on the disk`(_ size: Int) async throws {
        let entry = StoredEntry.sample(1, bytes: size)
        try await scratch.withCache { cache in
            let absent = try await cache.value(for: key)
            #expect(absent == nil)
            try await cache.store(entry, for: key)
            let staged = try await cache.value(for: key)
            #expect(staged == entry)
            try await cache.flush()
            let written = try await cache.value(for: key)
            #expect(written == entry)
            await cache.replaceMetadata([7], for: key)
            let renewed = try await cache.value(for: key)
            #expect(renewed == StoredEntry(metadata: [7], bytes: entry.bytes))
            cache.removeValue(for: key)
            let removed = try await cache.value(for: key)
            #expect(removed == nil)
            #expect(cache.snapshot.hits == 3 && cache.snapshot.misses >= 2)
        }
    }

    @Test func `a cache that has ended finds nothing`() async throws {
        let cache = try await scratch.withCache { cache in
            try await cache.store(.sample(1), for: key)
            return cache
        }
        let found = try await cache.value(for: key)
        #expect(found == nil)
    }

    @Test func `an inserted value is found, and one that was there first stays`() async throws {
        try await scratch.withCache { cache in
            await cache.insert(.sample(1), for: key)
            let staged = try await cache.value(for: key)
            #expect(staged == .sample(1))
            try await cache.flush()
            await cache.insert(.sample(2), for: key)
            try await cache.flush()
            let written = try await cache.value(for: key)
            #expect(written == .sample(1))
            #expect(cache.snapshot.stores == 1)
        }
    }

    @Test func `the first value stays, staged and on the disk`() async throws {
        try await scratch.withCache { cache in
            try await cache.store(.sample(1), for: key)
            let staged = try await cache.store(.sample(2), for: key)
            #expect(staged == .sample(1))
            try await cache.flush()
            let written = try await cache.store(.sample(3), for: key)
            #expect(written == .sample(1))
            let found = try await cache.value(for: key)
            #expect(found == .sample(1))
            #expect(cache.snapshot.stores == 1)
        }
    }

    @Test(arguments: [100, 50_000])
    func `of a value removed and stored again the last is found`(_ size: Int) async throws {
        let (first, second) = (StoredEntry.sample(1, bytes: size), StoredEntry.sample(2, bytes: size))
        try await scratch.withCache { cache in
            for isFlushed in [false, true] {
                try await cache.store(first, for: key)
                if isFlushed { try await cache.flush() }
                cache.removeValue(for: key)
                let removed = try await cache.value(for: key)
                #expect(removed == nil)
                try await cache.store(second, for: key)
                try await cache.flush()
                let found = try await cache.value(for: key)
                #expect(found == second)
                cache.removeValue(for: key)
                try await cache.flush()
            }
            #expect(cache.snapshot.entries == 0 && cache.snapshot.bytes == ByteCount(0))
        }
        #expect(scratch.valueFiles() == [])
    }

    @Test(arguments: [100, 50_000])
    func `after all were removed what is stored next is found, and only that`(_ size: Int) async throws {
        try await scratch.withCache { cache in
            for number in 0..<10 { try await cache.store(.sample(number, bytes: size), for: .number(number)) }
            try await cache.flush()
            try await cache.store(.sample(10), for: .number(10))
            cache.removeAll()
            try await cache.store(.sample(11, bytes: size), for: .number(11))
            let staged = try await cache.value(for: .number(3))
            #expect(staged == nil)
            try await cache.flush()
            for number in 0...10 {
                let found = try await cache.value(for: .number(number))
                #expect(found == nil)
            }
            let found = try await cache.value(for: .number(11))
            #expect(found == .sample(11, bytes: size))
            #expect(cache.snapshot.entries == 1)
        }
        #expect(scratch.valueFiles().count == (size > 16 * 1024 ? 1 : 0))
    }

    @Test(arguments: [(100, 50_000), (50_000, 100), (50_000, 60_000), (100, 200)])
    func `a replaced value is the last one, and the old file is gone`(_ sizes: (Int, Int)) async throws {
        let (first, second) = (StoredEntry.sample(1, bytes: sizes.0), StoredEntry.sample(2, bytes: sizes.1))
        try await scratch.withCache { cache in
            try await cache.store(first, for: key)
            try await cache.flush()
            cache.replaceValue(second, for: key)
            let staged = try await cache.value(for: key)
            #expect(staged == second)
            try await cache.flush()
            #expect(cache.snapshot.entries == 1)
        }
        #expect(scratch.valueFiles().count == (sizes.1 > 16 * 1024 ? 1 : 0))
        try await scratch.withCache { cache in
            let found = try await cache.value(for: key)
            #expect(found == second)
        }
    }

    @Test(arguments: [100, 50_000])
    func `metadata is replaced without the bytes`(_ size: Int) async throws {
        var entry = StoredEntry.sample(1, bytes: size)
        try await scratch.withCache { cache in
            try await cache.store(entry, for: key)
            for isFlushed in [false, true] {
                if isFlushed { try await cache.flush() }
                entry.metadata = Array("new \(isFlushed)".utf8)
                await cache.replaceMetadata(entry.metadata, for: key)
                let staged = try await cache.value(for: key)
                #expect(staged == entry)
            }
            try await cache.flush()
            await cache.replaceMetadata([1], for: .number(1))
            try await cache.flush()
            let absent = try await cache.value(for: .number(1))
            #expect(absent == nil)
            #expect(cache.snapshot.stores == 1)
        }
        try await scratch.withCache { cache in
            let found = try await cache.value(for: key)
            #expect(found == entry)
        }
    }

    @Test func `keys that differ in one letter are two`() async throws {
        try await scratch.withCache { cache in
            try await cache.store(.sample(1), for: StoreKey("a?b=1"))
            try await cache.store(.sample(2), for: StoreKey("a?B=1"))
            try await cache.flush()
            let first = try await cache.value(for: StoreKey("a?b=1"))
            let second = try await cache.value(for: StoreKey("a?B=1"))
            let third = try await cache.value(for: StoreKey("a?b=1 "))
            #expect(first == .sample(1) && second == .sample(2) && third == nil)
        }
    }

    @Test func `the text of a key never gets to the disk`() async throws {
        try await scratch.withCache { cache in
            try await cache.store(.sample(1), for: key)
            try await cache.store(.sample(1, bytes: 50_000), for: StoreKey(key.text + "2"))
            try await cache.flush()
            for name in ["index.db", "index.db-wal"] + scratch.valueFiles() {
                #expect(!contains(Array("secret".utf8), in: try scratch.read(name)))
            }
        }
    }

    @Test func `hits write nothing`() async throws {
        // The index is not tidied meanwhile: the clock stands still.
        try await scratch.withCache(clock: ManualClock()) { cache in
            try await cache.store(.sample(1), for: key)
            try await cache.flush()
            let before = try scratch.read("index.db-wal")
            for _ in 0..<50 { _ = try await cache.value(for: key) }
            try await cache.flush()
            let after = try scratch.read("index.db-wal")
            #expect(before == after)
            #expect(cache.snapshot.hits == 50)
        }
    }

    @Test func `a value that is too large is not kept, and the old one goes`() async throws {
        var configuration = scratch.configuration()
        configuration.entryLimit = ByteCount(1000)
        try await withDiskCache(configuration) { cache in
            let returned = try await cache.store(.sample(1, bytes: 1001), for: key)
            #expect(returned == .sample(1, bytes: 1001))
            try await cache.store(.sample(2, bytes: 1000), for: key)
            try await cache.flush()
            cache.replaceValue(.sample(3, bytes: 1001), for: key)
            let found = try await cache.value(for: key)
            #expect(found == nil)
            #expect(cache.snapshot.dropped == 2)
        }
    }

    @Test func `what does not fit into memory is dropped immediately`() async throws {
        var configuration = scratch.configuration()
        configuration.stagingLimit = ByteCount(100_000)
        // The writer waits for a full batch on a clock that stands still.
        try await withDiskCache(configuration, clock: ManualClock()) { cache in
            for number in 0..<10 {
                try await cache.store(.sample(number, bytes: 30_000), for: .number(number))
            }
            #expect(cache.snapshot.dropped == 7)
            #expect(cache.snapshot.stagedBytes <= ByteCount(100_000))
            try await cache.flush()
            #expect(cache.snapshot.entries == 3)
        }
    }

    @Test func `after its scope a cache finds and keeps nothing`() async throws {
        let cache = try await scratch.withCache { cache in
            try await cache.store(.sample(1), for: key)
            return cache
        }
        let found = try await cache.value(for: key)
        #expect(found == nil)
        try await cache.store(.sample(2), for: .number(2))
        cache.removeAll()
        try await cache.flush()
        try await cache.trim(to: ByteCount(0))
        let report = try await cache.verify()
        #expect(report.checked == 0 && report.isSound)
        #expect(cache.snapshot.access == .ended)
        try await scratch.withCache { cache in
            let found = try await cache.value(for: key)
            #expect(found == .sample(1))
        }
    }

    @Test func `an error and a cancelled scope still write what is staged`() async throws {
        struct Stop: Error {}
        await #expect(throws: Stop.self) {
            try await scratch.withCache { cache in
                try await cache.store(.sample(1), for: .number(1))
                throw Stop()
            }
        }
        let task = Task { [scratch] in
            try await scratch.withCache { cache in
                try await cache.store(.sample(2), for: .number(2))
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                cache.removeValue(for: .number(1))
                try await cache.flush()
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        try await scratch.withCache { cache in
            let first = try await cache.value(for: .number(1))
            let second = try await cache.value(for: .number(2))
            #expect(first == nil && second == .sample(2))
        }
    }

    @Test func `many at a time read and write the same keys`() async throws {
        try await scratch.withCache { cache in
            await withTaskGroup { group in
                for worker in 0..<8 {
                    group.addTask {
                        for step in 0..<100 {
                            let number = (worker * 7 + step * 13) % 50
                            let entry = StoredEntry.sample(number, bytes: number * 700)
                            switch (worker + step) % 5 {
                            case 0: cache.removeValue(for: .number(number))
                            case 1: cache.replaceValue(entry, for: .number(number))
                            case 2: _ = try? await cache.store(entry, for: .number(number))
                            default:
                                let found = try? await cache.value(for: .number(number))
                                #expect(found == nil || found == entry)
                            }
                        }
                    }
                }
            }
            let report = try await cache.verify()
            #expect(report.isSound)
            #expect(cache.snapshot.quarantined == 0)
        }
    }

    private func contains(_ needle: [UInt8], in bytes: [UInt8]) -> Bool {
        guard bytes.count >= needle.count else { return false }
        return (0...(bytes.count - needle.count)).contains { bytes[$0...].starts(with: needle) }
    }
}
