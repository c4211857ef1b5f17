/// The perceptual hashes of a shard's pictures, to find those that are almost equal.
///
/// A picture is compared only with those that are no near duplicates themselves, so that each that is left out has
/// one that stays. It takes 40 bytes for each of them.
struct NearDuplicates {
    /// Maximum number of bits in which the hashes of two near duplicates differ.
    static let distance = 4
    /// With more parts of a hash than bits that may differ, one part is equal.
    private static let parts = 8

    private var hashes: [UInt64] = []
    /// The pictures with each value of a part of their hashes, by part and value.
    private var pictures = [[Int32]](repeating: [], count: parts << 8)

    private var keys: [String] = []

    /// Adds the next picture.
    ///
    /// - Returns: The key of the first picture that is almost equal; `nil` if there is none.
    mutating func add(_ hash: UInt64, _ key: String) -> String? {
        let slots = (0..<Self.parts).map { $0 << 8 | Int(UInt8(truncatingIfNeeded: hash >> ($0 * 8))) }
        let found = slots.compactMap { slot in
            pictures[slot].first { (hashes[Int($0)] ^ hash).nonzeroBitCount <= Self.distance }
        }.min()
        if let found { return keys[Int(found)] }
        for slot in slots { pictures[slot].append(Int32(hashes.count)) }
        hashes.append(hash)
        keys.append(key)
        return nil
    }
}
