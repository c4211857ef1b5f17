package import CalotypeCore
package import CalotypeDigests

/// The first bytes of a value file: the key of its value, and the lengths.
///
/// All numbers are little-endian: `CTBF`, version (2 bytes), zero (2), digest of the key (32), length and
/// CRC32C of the metadata (4 each), length of the value (4), creation time (8), CRC32C of everything before
/// (4).
package struct BlobHeader: Hashable, Sendable {
    /// The length of a header.
    package static let length = 64
    /// The length of the checksum at the end of the file.
    package static let trailerLength = 4
    /// The one version that this code writes and reads.
    package static let version: UInt16 = 1
    /// The maximum size of metadata.
    package static let metadataLimit = ByteCount.mebibytes(1)
    /// The maximum size of a value, whatever the caller allows.
    package static let valueLimit = ByteCount(Int(UInt32.max))

    static let magic = [UInt8]("CTBF".utf8)
    /// Where the header's own checksum begins.
    static let checksumPlace = length - 4

    /// The SHA-256 of the key.
    package let key: Digest
    /// The length of the metadata.
    package let metadataLength: Int
    /// The CRC32C of the metadata.
    package let metadataChecksum: UInt32
    /// The length of the value.
    package let valueLength: Int
    /// When the value was stored, in milliseconds since 1970 by the clock at that moment.
    package let createdMilliseconds: Int64

    /// The length of the whole file.
    package var fileLength: Int { Self.length + metadataLength + valueLength + Self.trailerLength }
}

extension BlobHeader {
    /// Creates the header of `entry`; `key` must be a SHA-256, and the entry within the limits.
    init(_ entry: StoredEntry, key: Digest, createdMilliseconds: Int64) {
        precondition(key.bytes.count == DigestFunction.sha256.length, "the key is no SHA-256")
        self.key = key
        metadataLength = entry.metadata.count
        metadataChecksum = CRC32C.of(entry.metadata)
        valueLength = entry.bytes.count
        self.createdMilliseconds = createdMilliseconds
    }

    /// The header as stored in the file.
    var bytes: [UInt8] {
        var bytes = Self.magic
        bytes.reserveCapacity(Self.length)
        bytes.append(littleEndian: Self.version)
        bytes.append(littleEndian: UInt16(0))
        bytes += key.bytes
        bytes.append(littleEndian: UInt32(metadataLength))
        bytes.append(littleEndian: metadataChecksum)
        bytes.append(littleEndian: UInt32(valueLength))
        bytes.append(littleEndian: createdMilliseconds)
        bytes.append(littleEndian: CRC32C.of(bytes))
        return bytes
    }

    /// Reads a header from the first bytes of a file.
    init(_ bytes: [UInt8]) throws(BlobError) {
        guard bytes.count == Self.length else { throw .damaged(.truncated) }
        guard bytes.starts(with: Self.magic) else { throw .damaged(.wrongMagic) }
        let version = bytes.littleEndian(UInt16.self, at: 4)
        guard version == Self.version else { throw .damaged(.wrongVersion) }
        let checksum = CRC32C.of([UInt8](bytes[..<Self.checksumPlace]))
        guard checksum == bytes.littleEndian(UInt32.self, at: Self.checksumPlace) else {
            throw .damaged(.wrongHeader)
        }
        key = Digest(bytes: [UInt8](bytes[8..<40]))
        metadataLength = Int(bytes.littleEndian(UInt32.self, at: 40))
        metadataChecksum = bytes.littleEndian(UInt32.self, at: 44)
        valueLength = Int(bytes.littleEndian(UInt32.self, at: 48))
        createdMilliseconds = bytes.littleEndian(Int64.self, at: 52)
    }
}

extension [UInt8] {
    /// Adds the bytes of `number`, the lowest first.
    mutating func append<Number: FixedWidthInteger>(littleEndian number: Number) {
        for byte in 0..<Number.bitWidth / 8 {
            append(UInt8(truncatingIfNeeded: number >> (8 * byte)))
        }
    }

    /// The number whose bytes begin at `place`; all of them must be there.
    func littleEndian<Number: FixedWidthInteger>(_: Number.Type, at place: Int) -> Number {
        (0..<Number.bitWidth / 8).reduce(0) { number, byte in
            number | Number(truncatingIfNeeded: self[place + byte]) << (8 * byte)
        }
    }
}
