import CalotypeCArchive

/// The content of a file that gzip (RFC 1952) or zstd (RFC 8878) has compressed, read piece by piece.
// SAFETY: the one owner of the pointer, which its deinit gives back.
@safe
package struct Inflation: ~Copyable {
    private let pointer: OpaquePointer

    /// Begins to read `prefix` followed by the rest of the file of `descriptor`, which must stay open.
    ///
    /// - Throws: ``ArchiveError`` if libarchive is missing or memory runs out.
    package init(_ prefix: [UInt8], descriptor: Int32) throws(ArchiveError) {
        try ArchiveLibrary.shared.check()
        let made = unsafe prefix.withUnsafeBytes {
            unsafe carchive_inflation_new(descriptor, $0.baseAddress, $0.count)
        }
        guard let made = unsafe made else { throw ArchiveError("there is no memory to read the file") }
        unsafe pointer = made
    }

    deinit {
        unsafe carchive_inflation_free(pointer)
    }

    /// Whether `bytes` begin a file that can be read.
    package static func isCompressed(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: [0x1F, 0x8B]) || bytes.starts(with: [0x28, 0xB5, 0x2F, 0xFD])
    }

    /// Returns up to `limit` bytes, or none at the end; blocks while the file has none.
    ///
    /// - Throws: ``ArchiveError`` for a damaged or truncated file.
    package mutating func read(_ limit: Int) throws(ArchiveError) -> [UInt8] {
        var count = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, filled in
            count = unsafe carchive_inflation_read(pointer, buffer.baseAddress, limit)
            filled = max(count, 0)
        }
        guard count < 0 else { return bytes }
        throw ArchiveError(unsafe String(cString: carchive_inflation_error(pointer)))
    }
}
