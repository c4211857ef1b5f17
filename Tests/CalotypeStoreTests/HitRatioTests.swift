import CalotypeCore
import StoreTrials
import Testing

@Suite(.timeLimit(.minutes(1)))
struct HitRatioTests {
    /// The hits among the last half of `requests`.
    private func ratio(_ cache: some SimulatedCache, _ mix: ZipfMix, requests: Int) -> Double {
        var (cache, mix) = (cache, mix)
        var hits = 0
        for number in 0..<requests {
            let isHit = cache.request(mix.next(), bytes: 20)
            if isHit, number >= requests / 2 { hits += 1 }
        }
        return Double(hits) / Double(requests / 2)
    }

    @Test func `it hits at least five of a hundred more than LRU if many objects are requested once`() {
        let mix = ZipfMix(objects: 20_000, onceShare: 0.3, seed: 1)
        let capacity = ByteCount(200 * 20)
        let queue = ratio(SimulatedQueue(capacity: capacity), mix, requests: 60_000)
        let recency = ratio(SimulatedRecency(capacity: capacity), mix, requests: 60_000)
        #expect(queue >= recency + 0.05, "\(queue) and \(recency)")
    }

    @Test func `a scan of 100,000 objects takes less than three of a hundred hits from the others`() {
        var cache = SimulatedQueue(capacity: ByteCount(1000 * 20))
        var mix = ZipfMix(objects: 5000, seed: 2)
        func hits() -> Int { (0..<20_000).count { _ in cache.request(mix.next(), bytes: 20) } }
        _ = hits()
        _ = hits()
        let before = hits()
        for key in 0..<100_000 as Range<UInt64> {
            let isHit = cache.request(1 << 50 + key, bytes: 20)
            #expect(!isHit)
        }
        let after = hits()
        #expect(Double(before - after) / 20_000 < 0.03, "\(before) and \(after) of 20,000")
    }
}
