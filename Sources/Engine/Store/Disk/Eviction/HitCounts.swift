internal import TaskFlow

/// The number of hits of entries since the cache was opened, up to three each: the whole cost of a hit.
///
/// It lives only in memory. Entries without hits take no room, and for entries with hits it remembers a
/// bounded number, the most recent. Any thread may count. Keys with equal last eight bytes share a count,
/// which does no harm.
package final class HitCounts: Sendable {
    /// The highest count.
    package static let most: UInt8 = 3

    private struct Shard {
        var recent: [UInt64: UInt8] = [:]
        /// The previous generation of recent counts, forgotten when `recent` is full again.
        var older: [UInt64: UInt8] = [:]
    }

    /// Enough shards that readers seldom meet, and that no single table takes long to grow.
    private static let shardCount = 16
    private let shards: [Guarded<Shard>]
    private let halfShard: Int

    /// Creates counts for at most `limit` keys; the default of a million takes about 20 MB.
    package init(limit: Int = 1 << 20) {
        halfShard = max(limit / Self.shardCount / 2, 1)
        shards = (0..<Self.shardCount).map { _ in Guarded(Shard()) }
    }

    /// The number of keys with a count.
    package var count: Int {
        shards.reduce(0) { sum, shard in sum + shard.withLock { $0.recent.count + $0.older.count } }
    }

    /// Counts a hit of `key`.
    package func add(_ key: UInt64) {
        shard(of: key).withLock { shard in
            let count = shard.recent[key] ?? shard.older.removeValue(forKey: key) ?? 0
            set(min(count + 1, Self.most), for: key, in: &shard)
        }
    }

    /// The hits of `key`, minus those that were taken away.
    package func value(_ key: UInt64) -> UInt8 {
        shard(of: key).withLock { $0.recent[key] ?? $0.older[key] ?? 0 }
    }

    /// Takes one hit of `key` away; `false` if there was none.
    func takeOne(_ key: UInt64) -> Bool {
        shard(of: key).withLock { shard in
            guard let count = shard.recent.removeValue(forKey: key) ?? shard.older.removeValue(forKey: key)
            else {
                return false
            }
            if count > 1 { set(count - 1, for: key, in: &shard) }
            return true
        }
    }

    /// Forgets the hits of `key`.
    package func clear(_ key: UInt64) {
        shard(of: key).withLock { shard in
            shard.recent[key] = nil
            shard.older[key] = nil
        }
    }

    /// Forgets all hits.
    package func clearAll() {
        for shard in shards { shard.withLock { $0 = Shard() } }
    }

    private func set(_ count: UInt8, for key: UInt64, in shard: inout Shard) {
        shard.recent[key] = count
        guard shard.recent.count > halfShard else { return }
        (shard.recent, shard.older) = ([:], shard.recent)
    }

    private func shard(of key: UInt64) -> Guarded<Shard> {
        shards[Int(truncatingIfNeeded: key % UInt64(Self.shardCount))]
    }
}
