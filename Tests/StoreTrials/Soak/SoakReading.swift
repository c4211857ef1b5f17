internal import CalotypeStore

/// What a cache gives back after a kill.
struct SoakReading: Sendable {
    private(set) var hits = 0
    /// From the start of the opening to the first value.
    private(set) var firstHit: Duration?

    /// Looks up all keys, and has the cache check itself when it is to be thorough.
    init(
        of cache: DiskCache,
        since start: SoakStart,
        allowing ledger: TrialLedger,
        isThorough: Bool
    )
        async throws
    {
        for key in 0..<SoakSettings.keys {
            guard let entry = try await cache.value(for: TrialValue.storeKey(key)) else { continue }
            if firstHit == nil { firstHit = try start.limited() }
            hits += 1
            guard let value = TrialValue(entry), value.key == key else {
                throw SoakFailure("key \(key) has bytes that were never stored")
            }
            guard ledger.allows(value.version, of: key) else {
                throw SoakFailure(
                    "key \(key) has version \(value.version), which had been replaced or removed"
                )
            }
        }
        // A killed writer may leave files that no entry knows; they go when the repair has ended.
        let repair = ContinuousClock.now
        while cache.snapshot.isRepairing {
            guard repair.duration(to: .now) < .seconds(60) else {
                throw SoakFailure("the repair does not end")
            }
            try await Task.sleep(for: .milliseconds(5))
        }
        let snapshot = cache.snapshot
        guard snapshot.isOwner else { throw SoakFailure("the cache cannot be written: \(snapshot.access)") }
        guard snapshot.bytes <= SoakSettings.limit else { throw SoakFailure("it keeps \(snapshot.bytes)") }
        if isThorough { try await check(cache) }
    }

    private func check(_ cache: DiskCache) async throws {
        let first = try await cache.verify()
        guard first.indexProblems.isEmpty, first.removed == 0, first.unreadable == 0 else {
            throw SoakFailure("a kill left damage: \(first)")
        }
        let second = try await cache.verify()
        guard second.isSound else { throw SoakFailure("a check left something to do: \(second)") }
    }
}
