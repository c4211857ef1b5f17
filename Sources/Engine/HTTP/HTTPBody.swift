public import CalotypeCore

/// The body of a request: nothing, bytes, a range of a file, or a sequence of these.
///
/// Its length is known before the first byte is sent, and the origin receives it in advance. A file of any
/// size is read block by block while it is sent.
public struct HTTPBody: Hashable, Sendable {
    /// A part of a body.
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

    /// The parts in order; none of them is empty.
    public let parts: [Part]
    /// The total number of bytes.
    public let length: ByteCount

    /// No body.
    public static let none = HTTPBody()

    /// Creates a body of `parts` in order, such as the parts of a `multipart/form-data` body.
    ///
    /// - Throws: `invalid_request` if the range of a file is invalid, or the lengths add up to more than 2⁶³
    ///   - 1.
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

    /// Creates a body from bytes in memory.
    public init(_ bytes: [UInt8]) {
        parts = bytes.isEmpty ? [] : [.bytes(bytes)]
        length = ByteCount(bytes.count)
    }

    /// Creates a body from a range of a file.
    ///
    /// - Throws: `invalid_request` if the range is invalid.
    public init(_ range: FileRange) throws(CalotypeError) {
        try self.init([.file(range)])
    }

    private init() {
        parts = []
        length = ByteCount(0)
    }

    /// Whether the body has no bytes.
    public var isEmpty: Bool { parts.isEmpty }

    /// Whether sending the body requires reading a file.
    var needsFiles: Bool {
        parts.contains { if case .file = $0 { true } else { false } }
    }

    /// The parts of a body that is entirely in memory; empty if a file must be read.
    var blocksInMemory: [[UInt8]] {
        guard !needsFiles else { return [] }
        return parts.compactMap { if case .bytes(let bytes) = $0 { bytes } else { nil } }
    }
}

/// A range of a file's bytes.
public struct FileRange: Hashable, Sendable {
    /// The path of the file.
    public let path: String
    /// Where the range begins.
    public let offset: ByteCount
    /// The length of the range.
    public let length: ByteCount

    /// Creates the range of `length` bytes of the file at `path`, starting at `offset`.
    ///
    /// The caller must ensure that the file is still the intended one. A file that is too short causes
    /// `source_changed`.
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
