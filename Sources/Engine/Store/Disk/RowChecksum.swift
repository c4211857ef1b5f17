internal import CalotypeDigests

/// The checksum of what a row holds: a bit that flipped in the index is found like one in a value file.
enum RowChecksum {
    static func of(_ key: Digest, _ metadata: [UInt8], _ bytes: [UInt8]?) -> UInt32 {
        var checksum = CRC32C()
        var head = key.bytes
        // With the length, so that no byte can go from the metadata to the value.
        head.append(littleEndian: UInt32(truncatingIfNeeded: metadata.count))
        checksum.update(head)
        checksum.update(metadata)
        if let bytes { checksum.update(bytes) }
        return checksum.value
    }
}
