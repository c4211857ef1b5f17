import CalotypeCore
import CalotypeSamplePictures
import CalotypeStore
import CalotypeTestKit
import Testing

/// Thousands of random steps on a cache and on a plain array that follows the same rules.
@Suite(.timeLimit(.minutes(1)))
struct MemoryCacheModelTests {
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `the cache does what an array in order of use does`(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let clock = ManualClock()
        var model = Model(limits: Self.limits(40, 8))
        let cache = MemoryCache<Int, Value>(limits: model.limits, clock: clock) { ByteCount($0.cost) }
        for step in 0..<2_000 {
            let key = Int.random(in: 0..<16, using: &random)
            let value = Value(number: step, cost: Int.random(in: 0...12, using: &random))
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<35: #expect(cache.value(for: key) == model.use(key), "step \(step)")
            case 35..<65: #expect(cache.store(value, for: key) == model.store(value, key), "step \(step)")
            case 65..<75:
                let lifetime = Duration.seconds(Int.random(in: 0...9, using: &random))
                let stored = cache.store(value, for: key, timeToLive: lifetime)
                #expect(stored == model.store(value, key, lifetime), "step \(step)")
            case 75..<83:
                cache.replaceValue(value, for: key)
                model.replace(value, key)
            case 83..<89:
                cache.removeValue(for: key)
                model.remove(key)
            case 89..<94:
                clock.advance(by: .seconds(1))
                model.now += .seconds(1)
            case 94..<95:
                cache.trim(toFraction: 0.5)
                model.trim(to: model.cost / 2)
            case 95..<99:
                model.limits = Self.limits(
                    Int.random(in: 5...60, using: &random),
                    Int.random(in: 1...10, using: &random),
                    Bool.random(using: &random) ? .seconds(5) : nil
                )
                cache.limits = model.limits
                model.applyLimits()
            default:
                cache.removeAll()
                model.entries = []
            }
            #expect(cache.snapshot.count == model.entries.count, "step \(step)")
            #expect(cache.snapshot.bytes.bytes == model.cost, "step \(step)")
        }
    }

    private static func limits(
        _ bytes: Int,
        _ count: Int,
        _ timeToLive: Duration? = nil
    ) -> MemoryCacheLimits {
        MemoryCacheLimits(
            bytes: ByteCount(bytes),
            count: count,
            entryBytes: ByteCount(bytes / 4),
            timeToLive: timeToLive
        )
    }
}

private struct Value: Hashable, Sendable {
    let number: Int
    let cost: Int
}

private struct Model {
    struct Entry {
        let key: Int
        let value: Value
        let expiry: Duration?
    }

    var limits: MemoryCacheLimits
    var now = Duration.zero
    /// The one used last is first.
    var entries: [Entry] = []

    var cost: Int { entries.reduce(0) { $0 + $1.value.cost } }

    mutating func use(_ key: Int) -> Value? {
        guard let place = entries.firstIndex(where: { $0.key == key }) else { return nil }
        let entry = entries.remove(at: place)
        if hasExpired(entry) { return nil }
        entries.insert(entry, at: 0)
        return entry.value
    }

    mutating func store(_ value: Value, _ key: Int, _ lifetime: Duration? = nil) -> Value {
        if let first = use(key) { return first }
        let lifetime = lifetime ?? limits.timeToLive
        if value.cost <= limits.bytes.bytes / 4, limits.bytes.bytes >= 4, lifetime != .zero {
            entries.insert(Entry(key: key, value: value, expiry: lifetime.map { now + $0 }), at: 0)
        }
        shorten(to: limits.bytes.bytes)
        return value
    }

    mutating func replace(_ value: Value, _ key: Int) {
        remove(key)
        _ = store(value, key)
    }

    mutating func remove(_ key: Int) {
        entries.removeAll { $0.key == key }
    }

    mutating func trim(to cost: Int) {
        entries.removeAll(where: hasExpired)
        shorten(to: cost)
    }

    mutating func applyLimits() {
        entries.removeAll { $0.value.cost > limits.bytes.bytes / 4 }
        shorten(to: limits.bytes.bytes)
    }

    private func hasExpired(_ entry: Entry) -> Bool {
        entry.expiry.map { $0 <= now } ?? false
    }

    private mutating func shorten(to cost: Int) {
        while entries.count > limits.count || self.cost > cost { entries.removeLast() }
    }
}
