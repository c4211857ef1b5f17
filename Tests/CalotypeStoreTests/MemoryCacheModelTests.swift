import CalotypeCore
import CalotypeStore
import SamplePictures
import Testing

/// Thousands of random steps on a cache and on a plain array that follows the same rules.
@Suite(.timeLimit(.minutes(1)))
struct MemoryCacheModelTests {
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `the cache does what an array in order of use does`(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var model = Model(limits: MemoryCacheLimits(bytes: ByteCount(40), count: 8))
        let cache = MemoryCache<Int, Value>(limits: model.limits) { ByteCount($0.cost) }
        for step in 0..<2_000 {
            let key = Int.random(in: 0..<16, using: &random)
            let value = Value(number: step, cost: Int.random(in: 0...12, using: &random))
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<40: #expect(cache.value(for: key) == model.use(key), "step \(step)")
            case 40..<80: #expect(cache.store(value, for: key) == model.store(value, key), "step \(step)")
            case 80..<88:
                cache.replaceValue(value, for: key)
                model.replace(value, key)
            case 88..<95:
                cache.removeValue(for: key)
                model.remove(key)
            case 95..<99:
                model.limits = MemoryCacheLimits(
                    bytes: ByteCount(Int.random(in: 5...60, using: &random)),
                    count: Int.random(in: 1...10, using: &random)
                )
                cache.limits = model.limits
                model.trim()
            default:
                cache.removeAll()
                model.entries = []
            }
            #expect(cache.snapshot.count == model.entries.count, "step \(step)")
            #expect(cache.snapshot.bytes.bytes == model.cost, "step \(step)")
        }
    }
}

private struct Value: Hashable, Sendable {
    let number: Int
    let cost: Int
}

private struct Model {
    var limits: MemoryCacheLimits
    /// The one used last is first.
    var entries: [(key: Int, value: Value)] = []

    var cost: Int { entries.reduce(0) { $0 + $1.value.cost } }

    mutating func use(_ key: Int) -> Value? {
        guard let place = entries.firstIndex(where: { $0.key == key }) else { return nil }
        let entry = entries.remove(at: place)
        entries.insert(entry, at: 0)
        return entry.value
    }

    mutating func store(_ value: Value, _ key: Int) -> Value {
        if let first = use(key) { return first }
        if value.cost <= limits.bytes.bytes { entries.insert((key, value), at: 0) }
        trim()
        return value
    }

    mutating func replace(_ value: Value, _ key: Int) {
        remove(key)
        _ = store(value, key)
    }

    mutating func remove(_ key: Int) {
        entries.removeAll { $0.key == key }
    }

    mutating func trim() {
        while entries.count > limits.count || cost > limits.bytes.bytes { entries.removeLast() }
    }
}
