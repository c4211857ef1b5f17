package import CalotypeStore
import TaskFlow

/// A value that says itself which key and version it belongs to, and whose every byte follows from the two.
package struct TrialValue: Hashable, Sendable {
    package let key: Int
    package let version: Int

    package init(key: Int, version: Int) {
        (self.key, self.version) = (key, version)
    }

    package var storeKey: StoreKey { Self.storeKey(key) }

    package static func storeKey(_ key: Int) -> StoreKey { StoreKey("trial \(key)") }

    /// Metadata and bytes, of lengths that follow from key and version too: most of them short, some of 70 kB.
    package var entry: StoredEntry {
        var random = SplitMix64(seed: UInt64(key) << 32 ^ UInt64(version))
        let longest = [100, 4_000, 20_000, 70_000][Int(random.next() % 4)]
        let count = Int(random.next() % UInt64(longest))
        let metadata = "\(key) \(version) " + String(repeating: "m", count: Int(random.next() % 300))
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        while bytes.count < count {
            var word = random.next()
            for _ in 0..<min(8, count - bytes.count) {
                bytes.append(UInt8(truncatingIfNeeded: word))
                word >>= 8
            }
        }
        return StoredEntry(metadata: [UInt8](metadata.utf8), bytes: bytes)
    }

    /// The value that `entry` is, byte for byte; `nil` where it is none.
    package init?(_ entry: StoredEntry) {
        let words = String(decoding: entry.metadata, as: UTF8.self).split(separator: " ")
        guard words.count >= 2, let key = Int(words[0]), let version = Int(words[1]) else { return nil }
        self.init(key: key, version: version)
        guard self.entry == entry else { return nil }
    }
}
