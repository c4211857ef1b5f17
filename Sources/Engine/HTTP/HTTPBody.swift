public import CalotypeCore

/// What a request carries: nothing, bytes, a range of a file, or several of them after one another.
///
/// Its length is known before the first byte is sent, and is what the origin is told. A file is read while it is sent,
/// block by block, whatever its size.
public struct HTTPBody: Hashable, Sendable {
    /// A piece of a body.
    public enum Part: Hashable, Sendable {
        /// Bytes in memory.
        case bytes([UInt8])
        /// A range of a file.
        case file(FileRange)

        /// The number of bytes.
        public var length: ByteCount {
            switch self {
            case .bytes(let bytes): ByteCount(bytes.count)
            case .file(let range): range.length
            }
        }
    }

    /// The pieces in order, none of them empty.
    public let parts: [Part]
    /// The number of bytes of all pieces.
    public let length: ByteCount

    /// No body.
    public static let none = HTTPBody()

    /// Creates a body of `parts` in their order, such as the pieces of a `multipart/form-data` body.
    ///
    /// - Throws: `invalid_request` for a range of a file that is none, or where the lengths add up to more than 2⁶³ - 1.
    public init(_ parts: [Part]) throws(CalotypeError) {
        var sum = 0
        for part in parts {
            if case .file(let range) = part { try range.validate() }
            let (next, isTooLarge) = sum.addingReportingOverflow(part.length.bytes)
            guard !isTooLarge else {
                throw CalotypeError(.invalidRequest, "the body's length has no end", stage: .request)
            }
            sum = next
        }
        self.parts = parts.filter { $0.length.bytes > 0 }
        length = ByteCount(sum)
    }

    /// Creates a body of bytes in memory.
    public init(_ bytes: [UInt8]) {
        parts = bytes.isEmpty ? [] : [.bytes(bytes)]
        length = ByteCount(bytes.count)
    }

    /// Creates a body of a range of a file.
    ///
    /// - Throws: `invalid_request` for a range that is none.
    public init(_ range: FileRange) throws(CalotypeError) {
        try self.init([.file(range)])
    }

    private init() {
        parts = []
        length = ByteCount(0)
    }

    /// Whether it has no byte.
    public var isEmpty: Bool { parts.isEmpty }

    /// Whether a file has to be read for it.
    var needsFiles: Bool {
        parts.contains { if case .file = $0 { true } else { false } }
    }

    /// The pieces where all of them are in memory; none where a file has to be read.
    var blocksInMemory: [[UInt8]] {
        guard !needsFiles else { return [] }
        return parts.compactMap { if case .bytes(let bytes) = $0 { bytes } else { nil } }
    }
}

/// A range of a file's bytes.
public struct FileRange: Hashable, Sendable {
    /// The file.
    public let path: String
    /// Where the range begins.
    public let offset: ByteCount
    /// How long it is.
    public let length: ByteCount

    /// Creates the range of `length` bytes of the file at `path` from `offset` on.
    ///
    /// Whether the file is still the one that was meant is for the caller to see to. One that is shorter is `source_changed`.
    public init(path: String, offset: ByteCount = ByteCount(0), length: ByteCount) {
        self.path = path
        self.offset = offset
        self.length = length
    }

    fileprivate func validate() throws(CalotypeError) {
        guard offset.bytes >= 0, length.bytes >= 0,
            !offset.bytes.addingReportingOverflow(length.bytes).overflow, !path.isEmpty,
            !path.utf8.contains(0)
        else {
            throw CalotypeError(.invalidRequest, "\(path) has no such range of bytes", stage: .request)
        }
    }
}
