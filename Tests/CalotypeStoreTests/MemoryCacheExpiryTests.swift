import CalotypeCore
import CalotypeStore
import CalotypeTestKit
import Synchronization
import Testing

/// How long values are given out.
@Suite(.timeLimit(.minutes(1)))
struct MemoryCacheExpiryTests {
    private let clock = ManualClock()

    private func cache(timeToLive: Duration?) -> MemoryCache<String, Int> {
        MemoryCache(limits: MemoryCacheLimits(timeToLive: timeToLive), clock: clock) { ByteCount($0) }
    }

    @Test func `a value lasts as long as the limits say, from when it was stored`() {
        let cache = cache(timeToLive: .seconds(10))
        cache.store(1, for: "a")
        clock.advance(by: .seconds(9))
        #expect(cache.value(for: "a") == 1)
        clock.advance(by: .seconds(1))
        #expect(cache.value(for: "a") == nil)
        #expect(cache.snapshot.count == 0)
        #expect(cache.snapshot.misses == 1)
    }

    @Test func `an entry may have its own time, longer or shorter`() {
        let cache = cache(timeToLive: .seconds(10))
        cache.store(1, for: "short", timeToLive: .seconds(5))
        cache.replaceValue(2, for: "long", timeToLive: .seconds(20))
        cache.store(3, for: "default")
        cache.store(4, for: "none", timeToLive: .zero)
        #expect(cache.value(for: "none") == nil)
        clock.advance(by: .seconds(5))
        #expect(cache.value(for: "short") == nil)
        #expect(cache.value(for: "default") == 3)
        clock.advance(by: .seconds(14))
        #expect(cache.value(for: "default") == nil)
        #expect(cache.value(for: "long") == 2)
        clock.advance(by: .seconds(1))
        #expect(cache.value(for: "long") == nil)
    }

    @Test func `a change of the default holds for what is stored after it`() {
        let cache = cache(timeToLive: nil)
        cache.store(1, for: "a")
        cache.limits.timeToLive = .seconds(1)
        cache.store(2, for: "b")
        clock.advance(by: .seconds(1000))
        #expect(cache.value(for: "a") == 1)
        #expect(cache.value(for: "b") == nil)
    }

    @Test func `an expired entry is stored again, and a second store prolongs nothing`() {
        let cache = cache(timeToLive: .seconds(10))
        cache.store(1, for: "a")
        clock.advance(by: .seconds(9))
        #expect(cache.store(2, for: "a") == 1)
        clock.advance(by: .seconds(1))
        #expect(cache.store(3, for: "a") == 3)
        clock.advance(by: .seconds(9))
        #expect(cache.value(for: "a") == 3)
        #expect(cache.snapshot.bytes == ByteCount(3))
    }

    @Test func `what has expired goes before what was used longest ago`() {
        let cache = cache(timeToLive: nil)
        cache.store(10, for: "old")
        cache.store(10, for: "expired", timeToLive: .seconds(1))
        clock.advance(by: .seconds(1))
        #expect(cache.snapshot.count == 2)
        cache.trim(toBytes: ByteCount(10))
        #expect(cache.value(for: "old") == 10)
        cache.store(1, for: "a", timeToLive: .seconds(1))
        clock.advance(by: .seconds(1))
        cache.removeExpired()
        #expect(cache.snapshot.count == 1)
    }

    @Test func `the clock is not read where nothing can expire`() {
        let clock = CountingClock()
        let cache = MemoryCache<Int, Int>(clock: clock) { ByteCount($0) }
        let before = clock.reads
        cache.store(1, for: 1)
        cache.replaceValue(2, for: 2)
        for _ in 0..<10 { _ = cache.value(for: 1) }
        #expect(clock.reads == before)
        cache.store(3, for: 3, timeToLive: .seconds(1))
        _ = cache.value(for: 3)
        #expect(clock.reads == before + 2)
    }
}

/// Counts how often it is read.
private final class CountingClock: Clock {
    private let count = Atomic(0)

    var reads: Int { count.load(ordering: .relaxed) }

    var now: ManualClock.Instant {
        count.add(1, ordering: .relaxed)
        return ManualClock.Instant(offset: .zero)
    }

    var minimumResolution: Duration { .zero }

    func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {}
}
