import CalotypeCPictures
import CalotypeCore

/// Reads the compressed picture of a PNG, block by block: the content of its IDAT chunks, with verified
/// checksums.
struct PNGData {
    /// The number of bytes to read from a file, or to verify in memory, at a time.
    private static let blockBytes = 64 << 10
    private static let kind = Array("IDAT".utf8)

    private let source: EncodedSource
    /// The position of the next unread byte.
    private var offset: Int
    /// The number of unread bytes of the chunk; `nil` between chunks.
    private var left: Int?
    private var crc: UInt32 = 0
    private var block: [UInt8] = []
    private var unused = 0..<0

    /// Starts at `offset`, where the first IDAT chunk begins.
    init(_ source: EncodedSource, at offset: Int) {
        self.source = source
        self.offset = offset
    }

    /// Passes the bytes that were read and are not used up, perhaps none, to `body`, which returns how many
    /// it used.
    mutating func use(_ body: (Span<UInt8>) -> Int) {
        let used = body(block.span.extracting(unused))
        unused = unused.dropFirst(used)
    }

    /// Reads some bytes after all previous ones are used up.
    ///
    /// - Throws: `CodecError`: the file ends within the data, the data is damaged, or the file cannot be
    ///   read.
    mutating func read() throws(CodecError) {
        repeat { try readBlock() } while unused.isEmpty
    }

    /// Reads the current chunk to its end.
    ///
    /// - Throws: As ``read()``.
    mutating func finish() throws(CodecError) {
        while left != nil { try readBlock() }
    }

    private mutating func readBlock() throws(CodecError) {
        guard let left else { return try beginChunk() }
        guard left > 0 else { return try endChunk() }
        try read(min(left, Self.blockBytes))
        guard !unused.isEmpty else { throw .outOfBytes }
        crc = unsafe block.span.extracting(unused).withUnsafeBufferPointer { bytes in
            unsafe cpng_crc(crc, bytes.baseAddress, bytes.count)
        }
        self.left = left - unused.count
    }

    private mutating func beginChunk() throws(CodecError) {
        let head = try number(8)
        let kind = Array(head.suffix(4))
        guard kind == Self.kind else { throw .corrupt("its image data ends early") }
        left = head.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        crc = unsafe cpng_crc(0, kind, kind.count)
    }

    private mutating func endChunk() throws(CodecError) {
        let stored = try number(4).reduce(0) { $0 << 8 | UInt32($1) }
        guard stored == crc else { throw .corrupt("a checksum is wrong") }
        left = nil
    }

    /// Reads `length` bytes that are not picture data.
    private mutating func number(_ length: Int) throws(CodecError) -> [UInt8] {
        try read(length)
        defer { unused = 0..<0 }
        guard unused.count == length else { throw .outOfBytes }
        return Array(block[unused])
    }

    /// Reads up to `length` bytes; fewer only at the end.
    private mutating func read(_ length: Int) throws(CodecError) {
        switch source {
        case .memory(let bytes):
            block = bytes
            unused = min(offset, bytes.count)..<min(offset + length, bytes.count)
        case .file(let file):
            block = try file.read(at: offset, length: length)
            unused = 0..<block.count
        }
        offset += unused.count
    }
}
