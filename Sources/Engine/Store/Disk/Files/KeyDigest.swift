internal import CalotypeDigests

// Header values are part of a key, so only its digest is written to the disk. Its parts are cut from SHA-256
// digests (FIPS 180-4): one byte of the whole text, which spreads files over folders, eight of the partition,
// twelve of the source and the partition, and eleven more of the text. So the entries of a group are near each
// other in each of 256 parts of an index. Within a partition, keys with the same digest need 192 equal bits.

extension Digest {
    fileprivate static let partitionLength = 8
    fileprivate static let sourceLength = 12
    fileprivate static let length = 32

    /// Creates the digest of `key`; `nil` if the system's library makes none, in which case there is no cache.
    init?(_ key: StoreKey) {
        guard let text = try? Digest(.sha256, of: key.text), let group = DigestGroup(key.group) else {
            return nil
        }
        let rest = Self.length - 1 - group.bytes.count
        self.init(bytes: text.bytes.prefix(1) + group.bytes + text.bytes.suffix(rest))
    }

    /// A short form of the key where a collision does no harm: its last eight bytes.
    var tag: UInt64 { bytes.suffix(8).reduce(0) { $0 << 8 | UInt64($1) } }
}

/// The part of a digest that all keys of a group share.
struct DigestGroup: Hashable, Sendable {
    fileprivate let bytes: [UInt8]

    /// Creates the part for `group`; `nil` if the system's library makes no digests.
    init?(_ group: StoreGroup) {
        // Requests without a partition are apart from those in a partition with an empty name.
        let tenant = group.partition.map { "partition \($0)" } ?? ""
        guard let partition = try? Digest(.sha256, of: tenant) else { return nil }
        let start = partition.bytes.prefix(Digest.partitionLength)
        guard let source = group.source else {
            bytes = Array(start)
            return
        }
        // With the partition's digest before it, the digests of two partitions have no part in common.
        guard let name = try? Digest(.sha256, of: partition.bytes + Array(source.utf8)) else { return nil }
        bytes = Array(start + name.bytes.prefix(Digest.sourceLength))
    }

    /// Whether the digest is that of a key of the group.
    func contains(_ key: Digest) -> Bool {
        key.bytes.dropFirst().starts(with: bytes)
    }

    /// The least and the greatest digest in each part of an index that can have keys of the group.
    var ranges: some Sequence<(least: Digest, greatest: Digest)> {
        (0...UInt8.max).lazy.map { [bytes] part in
            let start = [part] + bytes
            let rest = Digest.length - start.count
            return (
                Digest(bytes: start + [UInt8](repeating: 0, count: rest)),
                Digest(bytes: start + [UInt8](repeating: .max, count: rest))
            )
        }
    }
}
