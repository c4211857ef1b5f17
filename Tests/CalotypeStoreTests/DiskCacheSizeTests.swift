import CalotypeCore
import CalotypeSQLite
import CalotypeStore
import CalotypeTestKit
import FoundationEssentials
import Testing

@Suite(.timeLimit(.minutes(1)))
struct DiskCacheSizeTests {
    private let scratch = CacheScratch()

    @Test func `under the limit nothing is removed, over it the oldest unrequested entry`() async throws {
        try await scratch.withCache(limit: ByteCount(1_000_000)) { cache in
            for number in 0..<90 {
                try await cache.store(.sample(number, bytes: 9_500), for: .number(number))
            }
            try await cache.flush()
            #expect(cache.snapshot.evicted == 0 && cache.snapshot.entries == 90)
            for _ in 0..<3 {
                for number in 0..<20 { _ = try await cache.value(for: .number(number)) }
            }
            for number in 90..<150 {
                try await cache.store(.sample(number, bytes: 9_500), for: .number(number))
                try await cache.flush()
            }
            #expect(cache.snapshot.evicted > 40)
            for number in (0..<20) {
                let found = try await cache.value(for: .number(number))
                #expect(found == .sample(number, bytes: 9_500), "\(number) was asked for")
            }
            for number in (20..<50) {
                let found = try await cache.value(for: .number(number))
                #expect(found == nil, "\(number) was not asked for")
            }
        }
    }

    @Test(arguments: [500, 9_000])
    func `the limit holds at every moment`(_ size: Int) async throws {
        let limit = size * 300
        var configuration = scratch.configuration(limit: ByteCount(limit))
        configuration.inlineLimit = ByteCount(800)
        let isOver = Event()
        let most = try await withDiskCache(configuration) { cache in
            try await withThrowingTaskGroup(of: Int.self) { group in
                group.addTask {
                    var most = 0
                    var isLast = false
                    repeat {
                        // What is left at the end counts too.
                        isLast = isOver.hasHappened
                        let inFiles = scratch.valueFileBytes()
                        most = max(most, inFiles, cache.snapshot.bytes.bytes)
                        await Task.yield()
                    } while !isLast
                    return most
                }
                for number in 0..<(limit / size * 2) {
                    // Some are replaced by larger ones.
                    let entry = StoredEntry.sample(number, bytes: size + number % 100)
                    if number.isMultiple(of: 3) {
                        cache.replaceValue(entry, for: .number(number / 2))
                    } else {
                        try await cache.store(entry, for: .number(number))
                    }
                }
                try await cache.flush()
                isOver.signal()
                return try await group.next() ?? 0
            }
        }
        #expect(most <= limit)
        #expect(most > limit / 2)
    }

    @Test func `trimming keeps the requested size, down to nothing`() async throws {
        try await scratch.withCache { cache in
            for number in 0..<20 {
                try await cache.store(.sample(number, bytes: 20_000), for: .number(number))
            }
            try await cache.flush()
            for _ in 0..<2 { _ = try await cache.value(for: .number(3)) }
            try await cache.trim(to: ByteCount(100_000))
            #expect(cache.snapshot.bytes <= ByteCount(100_000) && cache.snapshot.entries == 4)
            #expect(scratch.valueFileBytes() == cache.snapshot.bytes.bytes)
            let wanted = try await cache.value(for: .number(3))
            #expect(wanted != nil)
            try await cache.trim(to: ByteCount(0))
            #expect(cache.snapshot.entries == 0 && scratch.valueFiles() == [])
        }
    }

    @Test func `the order of the queues survives the end of the process`() async throws {
        for number in 0..<9 {
            try await scratch.withCache(limit: ByteCount(100_000_000)) { cache in
                try await cache.store(.sample(number, bytes: 20_000), for: .number(number))
            }
        }
        try await scratch.withCache { cache in
            try await cache.trim(to: ByteCount(61_000))
            for number in 0..<9 {
                let found = try await cache.value(for: .number(number))
                #expect((found != nil) == (number >= 6))
            }
        }
    }

    @Test func `a value removed while it is read is read to its end`() async throws {
        let entry = StoredEntry.sample(1, bytes: 5_000_000)
        try await scratch.withCache(limit: .mebibytes(1024)) { cache in
            for round in 0..<10 {
                try await cache.store(entry, for: .number(round))
                try await cache.flush()
                async let found = cache.value(for: .number(round))
                async let other = cache.value(for: .number(round))
                cache.removeValue(for: .number(round))
                try await cache.flush()
                for value in try await [found, other] { #expect(value == nil || value == entry) }
            }
            #expect(cache.snapshot.quarantined == 0)
            #expect(scratch.valueFiles() == [])
        }
    }

    @Test func `a value larger than a hundredth of the cache is kept when it comes again`() async throws {
        let large = StoredEntry.sample(1, bytes: 30_000)
        try await scratch.withCache(limit: ByteCount(2_000_000)) { cache in
            try await cache.store(large, for: .number(1))
            try await cache.flush()
            let first = try await cache.value(for: .number(1))
            #expect(first == nil && cache.snapshot.dropped == 1)
            try await cache.store(large, for: .number(1))
            try await cache.flush()
            let second = try await cache.value(for: .number(1))
            #expect(second == large)
        }
    }

    @Test func `nothing depends on the date`() async throws {
        let dates: [Int64] = [1_700_000_000_000, 1_700_086_400_000, 1_699_913_600_000, 0, -5, .max / 2]
        for (number, date) in dates.enumerated() {
            try await withDiskCache(scratch.configuration(), milliseconds: { date }) { cache in
                for earlier in 0..<number {
                    let found = try await cache.value(for: .number(earlier))
                    #expect(found == .sample(earlier, bytes: 20_000))
                }
                try await cache.store(.sample(number, bytes: 20_000), for: .number(number))
                cache.replaceValue(.sample(0, bytes: 20_000), for: .number(0))
            }
        }
        #expect(scratch.notices.values == [])
        #expect(scratch.valueFiles().count == dates.count)
    }

    @Test func `the log is short again soon after the last change`() async throws {
        let clock = ManualClock()
        try await scratch.withCache(clock: clock) { cache in
            for number in 0..<100 {
                try await cache.store(.sample(number, bytes: 5_000), for: .number(number))
            }
            try await cache.flush()
            #expect(scratch.size(of: "index.db-wal") > 100_000)
            try await clock.waitForSleeper(wakingIn: .seconds(1))
            clock.advance(by: .seconds(1))
            try await until { scratch.size(of: "index.db-wal") == 0 }
            let found = try await cache.value(for: .number(3))
            #expect(found == .sample(3, bytes: 5_000))
        }
    }

    @Test func `a reader that stands still keeps the log bounded, and stores are dropped until it goes`()
        async throws
    {
        let clock = ManualClock()
        var configuration = scratch.configuration()
        configuration.logLimit = .mebibytes(1)
        try await withDiskCache(configuration, clock: clock) { cache in
            try await cache.store(.sample(0), for: .number(0))
            try await cache.flush()
            let reader = try SQLiteConnection(path: "\(scratch.folder)/index.db", .readOnly)
            try reader.execute("BEGIN; SELECT count(*) FROM entry")
            for number in 1..<200 {
                try await cache.store(.sample(number, bytes: 15_000), for: .number(number))
                try await cache.flush()
            }
            #expect(scratch.size(of: "index.db-wal") < 2 << 20)
            #expect(cache.snapshot.dropped > 100)
            #expect(scratch.notices.count == 1)
            try reader.close()

            try await clock.waitForSleeper(wakingIn: .seconds(1))
            clock.advance(by: .seconds(1))
            try await until {
                // Nothing is taken before the second is over for the writer too.
                cache.replaceValue(.sample(300), for: .number(300))
                return cache.snapshot.stagedBytes > ByteCount(300)
            }
            try await cache.flush()
            let found = try await cache.value(for: .number(300))
            #expect(found == .sample(300))
        }
    }
}
