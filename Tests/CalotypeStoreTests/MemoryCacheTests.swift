import CalotypeCore
import CalotypeStore
import CalotypeTestKit
import Testing

@Suite(.timeLimit(.minutes(1)))
struct MemoryCacheTests {
    /// A cache of numbers that cost what they are; each may cost as much as all together.
    private static func cache(bytes: Int = 100, count: Int = 500) -> MemoryCache<String, Int> {
        let bytes = ByteCount(bytes)
        return MemoryCache(limits: MemoryCacheLimits(bytes: bytes, count: count, entryBytes: bytes)) {
            ByteCount($0)
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        var bytes = 100
        var count = 500
        let stored: [(String, Int)]
        let kept: [String]
        var testDescription: String { name }
    }

    private static let cases = [
        Case(name: "the default keeps all of a few", stored: [("a", 1), ("b", 2)], kept: ["a", "b"]),
        Case(name: "the count is kept", count: 2, stored: [("a", 1), ("b", 1), ("c", 1)], kept: ["b", "c"]),
        Case(name: "the cost is kept", bytes: 3, stored: [("a", 1), ("b", 1), ("c", 2)], kept: ["b", "c"]),
        Case(name: "the cost may be reached", bytes: 3, stored: [("a", 1), ("b", 2)], kept: ["a", "b"]),
        Case(name: "one pushes out several", bytes: 3, stored: [("a", 1), ("b", 1), ("c", 3)], kept: ["c"]),
        Case(name: "too large is refused", bytes: 3, stored: [("a", 1), ("b", 4)], kept: ["a"]),
        Case(name: "a count of zero keeps nothing", count: 0, stored: [("a", 1)], kept: []),
        Case(name: "no bytes keep nothing", bytes: 0, stored: [("a", 0)], kept: []),
        Case(name: "free values count too", count: 1, stored: [("a", 0), ("b", -5)], kept: ["b"]),
    ]

    @Test func `a place is used only while the same value has it`() throws {
        let cache = Self.cache(count: 2)
        cache.store(1, for: "a")
        let place = try #require(cache.placedValue(for: "a")).place
        cache.store(2, for: "b")
        #expect(cache.useValue(at: place))
        // Its use has made it the last to be pushed out.
        cache.store(3, for: "c")
        #expect(cache.useValue(at: place) && cache.value(for: "b") == nil)
        #expect(cache.snapshot.hits == 3 && cache.snapshot.misses == 1)
        for change in [
            { cache.replaceValue(1, for: "a") }, { cache.removeValue(for: "a") }, { cache.removeAll() },
            { cache.trim(toFraction: 0) },
        ] {
            cache.store(1, for: "a")
            let old = try #require(cache.placedValue(for: "a")).place
            change()
            cache.store(1, for: "a")
            let new = try #require(cache.placedValue(for: "a")).place
            #expect(new != old && !cache.useValue(at: old) && cache.useValue(at: new))
        }
    }

    @Test(arguments: cases)
    func `the limits hold, and what is too large is refused`(_ this: Case) {
        let cache = Self.cache(bytes: this.bytes, count: this.count)
        for (key, value) in this.stored { cache.store(value, for: key) }
        let kept = this.stored.map(\.0).filter { cache.value(for: $0) != nil }
        #expect(kept == this.kept)
        #expect(cache.snapshot.count == this.kept.count)
    }

    @Test func `the default limits are 500 entries and 64 MiB`() {
        let cache = MemoryCache<Int, Int> { _ in ByteCount(1) }
        for key in 0..<600 { cache.store(key, for: key) }
        #expect(cache.snapshot.count == 500)
        #expect(cache.value(for: 99) == nil)
        #expect(cache.value(for: 100) == 100)
        #expect(cache.limits.bytes == .mebibytes(64))
    }

    @Test func `lowering a limit trims now`() {
        let cache = Self.cache()
        for (key, value) in [("a", 10), ("b", 20), ("c", 30)] { cache.store(value, for: key) }
        cache.limits.bytes = ByteCount(50)
        #expect(cache.snapshot.bytes == ByteCount(50))
        cache.limits.count = 1
        #expect(cache.snapshot.count == 1)
        #expect(cache.value(for: "c") == 30)
        cache.limits = .none
        #expect(cache.snapshot.count == 0)
    }

    @Test func `lowering the limit of one entry removes what is larger, and nothing else`() {
        let cache = Self.cache()
        for (key, value) in [("a", 10), ("b", 30), ("c", 20)] { cache.store(value, for: key) }
        cache.limits.entryBytes = ByteCount(20)
        #expect(cache.snapshot.bytes == ByteCount(30))
        #expect(cache.value(for: "b") == nil)
        cache.limits.entryBytes = nil
        cache.limits.bytes = ByteCount(60)
        #expect(cache.snapshot.bytes == ByteCount(10))
        cache.store(0, for: "free")
        cache.limits.entryBytes = ByteCount(0)
        #expect(cache.snapshot.count == 0)
    }

    @Test(
        arguments: [
            (nil, [25], true), (nil, [26], false), (40, [40], true), (40, [41], false), (200, [100], true),
            (200, [101], false), (0, [0], false),
        ] as [(Int?, [Int], Bool)]
    )
    func `one entry may cost a quarter by default, and never more than the limit`(
        _ limit: Int?,
        _ costs: [Int],
        _ isKept: Bool
    ) {
        let limits = MemoryCacheLimits(bytes: ByteCount(100), entryBytes: limit.map { ByteCount($0) })
        let cache = MemoryCache<Int, Int>(limits: limits) { ByteCount($0) }
        for cost in costs { cache.store(cost, for: cost) }
        #expect(cache.snapshot.count == (isKept ? costs.count : 0))
    }

    @Test(arguments: ["look-up", "store"])
    func `the least recently used goes first`(_ use: String) {
        let cache = Self.cache(count: 2)
        cache.store(1, for: "a")
        cache.store(2, for: "b")
        if use == "store" { cache.store(1, for: "a") } else { _ = cache.value(for: "a") }
        cache.store(3, for: "c")
        #expect(cache.value(for: "b") == nil)
        #expect(cache.value(for: "a") == 1)
    }

    @Test func `storing an existing key keeps the first value and gives it back`() {
        let cache = Self.cache()
        #expect(cache.store(1, for: "a") == 1)
        #expect(cache.store(2, for: "a") == 1)
        #expect(cache.value(for: "a") == 1)
        #expect(cache.snapshot.bytes == ByteCount(1))
    }

    @Test func `a refused value is given back too`() {
        let cache = Self.cache(bytes: 3)
        #expect(cache.store(4, for: "a") == 4)
    }

    @Test func `replacing adjusts the total cost`() {
        let cache = Self.cache()
        cache.store(10, for: "a")
        cache.replaceValue(30, for: "a")
        #expect(cache.snapshot.bytes == ByteCount(30))
        cache.replaceValue(5, for: "b")
        #expect(cache.snapshot.bytes == ByteCount(35))
        cache.replaceValue(101, for: "a")
        #expect(cache.value(for: "a") == nil)
        #expect(cache.snapshot.bytes == ByteCount(5))
    }

    @Test func `what is trimmed is the least recently used, and the limits stay`() {
        let cache = Self.cache()
        for key in 0..<10 { cache.store(10, for: "\(key)") }
        _ = cache.value(for: "0")
        cache.trim(toFraction: 0.5)
        #expect(cache.snapshot.bytes == ByteCount(50))
        #expect(cache.value(for: "0") == 10 && cache.value(for: "5") == nil)
        cache.trim(toBytes: ByteCount(35))
        #expect(cache.snapshot.bytes == ByteCount(30))
        cache.trim(toCount: 2)
        #expect(cache.snapshot.count == 2)
        cache.trim(toFraction: 1)
        cache.trim(toBytes: ByteCount(1000))
        #expect(cache.snapshot.count == 2)
        cache.store(80, for: "a")
        #expect(cache.snapshot.bytes == ByteCount(100))
        cache.trim(toFraction: .nan)
        #expect(cache.snapshot.count == 0)
        #expect(cache.limits.bytes == ByteCount(100))
    }

    @Test func `hits and misses are counted`() {
        let cache = Self.cache()
        cache.store(1, for: "a")
        for key in ["a", "b", "a", "c", "a"] { _ = cache.value(for: key) }
        let snapshot = cache.snapshot
        #expect(snapshot.hits == 3)
        #expect(snapshot.misses == 2)
    }

    @Test func `what is removed is gone`() {
        let cache = Self.cache()
        for (key, value) in [("a", 10), ("b", 20), ("c", 30)] { cache.store(value, for: key) }
        cache.removeValue(for: "b")
        cache.removeValue(for: "unknown")
        #expect(cache.value(for: "b") == nil)
        #expect(cache.snapshot.bytes == ByteCount(40))
        cache.removeAll()
        #expect(cache.value(for: "a") == nil)
        #expect(cache.snapshot.count == 0)
        #expect(cache.snapshot.bytes == ByteCount(0))
    }

    @Test func `an evicted value stays intact for its holder`() {
        let cache = MemoryCache<Int, [UInt8]>(limits: MemoryCacheLimits(count: 1)) { ByteCount($0.count) }
        let held = cache.store(Array(repeating: 7, count: 1_000), for: 1)
        cache.store([], for: 2)
        cache.removeAll()
        #expect(held.count == 1_000 && held.allSatisfy { $0 == 7 })
    }

    @Test func `values are let go outside the lock, and may use the cache then`() {
        let freed = Recorder<Int>()
        let clock = ManualClock()
        let cache = MemoryCache<Int, Farewell>(
            limits: MemoryCacheLimits(bytes: ByteCount(10), count: 2, timeToLive: .seconds(1)),
            clock: clock,
            cost: { _ in ByteCount(1) }
        )
        let farewell = { (number: Int) in
            // A count read under the cache's own lock would hang here.
            Farewell { [unowned cache] in freed.record(number + 10 * cache.snapshot.count) }
        }
        for key in 1...3 { cache.store(farewell(key), for: key) }
        cache.replaceValue(farewell(4), for: 2)
        cache.removeValue(for: 2)
        cache.store(farewell(5), for: 5)
        cache.limits.count = 1
        cache.removeAll()
        cache.store(farewell(6), for: 1)
        clock.advance(by: .seconds(1))
        _ = cache.value(for: 1)
        cache.store(farewell(7), for: 1)
        cache.trim(toCount: 0)
        #expect(freed.values == [21, 22, 14, 13, 5, 6, 7])
    }

    @Test func `callers on many threads share one first value`() async {
        let cache = MemoryCache<Int, Int> { _ in ByteCount(1) }
        let winners = await withTaskGroup { group in
            for task in 0..<8 {
                group.addTask { (0..<200).map { cache.store(task, for: $0) } }
            }
            return await group.reduce(into: [[Int]]()) { $0.append($1) }
        }
        #expect(Set(winners).count == 1)
    }

    @Test func `a memory cache is a store like any other`() async throws {
        func exercise(_ store: some Storing<String, Int>) async throws -> [Int?] {
            let first = try await store.store(1, for: "a")
            let second = try await store.store(2, for: "a")
            let found = try await store.value(for: "a")
            try await store.removeValue(for: "a")
            let removed = try await store.value(for: "a")
            try await store.store(3, for: "b")
            try await store.removeAll()
            return [first, second, found, removed, try await store.value(for: "b")]
        }
        let results = try await exercise(Self.cache())
        #expect(results == [1, 1, 1, nil, nil])
    }
}

/// Says when it is let go.
private final class Farewell: Sendable {
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }

    deinit { body() }
}
