internal import CalotypeDigests
import CalotypeFiles
internal import CalotypePlatform

/// The URLs that a list has named so far, on disk: a table of 16 bytes for each, of which at most half is full.
///
/// Memory does not grow with the list. Two URLs are equal if the first 128 bits of their SHA-256 are, which
/// different ones never have in practice. Its functions block; call them on a file thread, one at a time.
struct SeenURLs: Sendable {
    private struct Mark: Equatable {
        static let bytes = 16
        /// An empty place.
        static let none = Mark(high: 0, low: 0)

        let high: UInt64
        let low: UInt64
    }

    /// Number of places that are read with one call.
    private static let step = 8

    private let newFile: @Sendable () throws -> OpenFile
    private var file: OpenFile?
    /// The table has 2 to the power of this many places.
    private var bits: Int
    private var count = 0

    /// Creates an empty table.
    ///
    /// - Parameters:
    ///   - bits: The table begins with 2 to the power of this many places.
    ///   - newFile: Creates a file that disappears when it is closed; it must hold 32 to 96 bytes per URL.
    init(bits: Int = 16, newFile: @escaping @Sendable () throws -> OpenFile) {
        self.bits = bits
        self.newFile = newFile
    }

    /// Adds `url`.
    ///
    /// - Returns: `false` if it was there.
    mutating func insert(_ url: String) throws -> Bool {
        let mark = try Self.mark(of: url)
        if count * 2 >= 1 << bits { try grow() }
        let table = try file ?? newTable()
        file = table
        guard let place = try Self.place(for: mark, in: table, bits) else { return false }
        try Self.write(mark, at: place, of: table)
        count += 1
        return true
    }

    private func newTable() throws -> OpenFile {
        let table = try newFile()
        guard ftruncate(table.descriptor, Mark.bytes << bits) == 0 else {
            throw SystemError("make room for the URLs that were read")
        }
        return table
    }

    /// Copies the table to one of twice the size; both are passed through from beginning to end.
    private mutating func grow() throws {
        guard let old = file else { return }
        bits += 1
        let new = try newTable()
        let step = 64 << 10
        for offset in stride(from: 0, to: Mark.bytes << (bits - 1), by: step) {
            for mark in Self.marks(in: try old.read(step, at: offset)) where mark != .none {
                guard let place = try Self.place(for: mark, in: new, bits) else { continue }
                try Self.write(mark, at: place, of: new)
            }
        }
        file = new
    }

    /// Returns the place where `mark` belongs; `nil` if it is there already.
    private static func place(for mark: Mark, in table: OpenFile, _ bits: Int) throws -> Int? {
        let places = 1 << bits
        var place = Int(mark.high >> UInt64(64 - bits))
        // At most half of the table is full, so there is an end.
        while true {
            let bytes = try table.read(min(step, places - place) * Mark.bytes, at: place * Mark.bytes)
            for found in marks(in: bytes) {
                if found == .none { return place }
                if found == mark { return nil }
                place += 1
            }
            if place == places { place = 0 }
        }
    }

    private static func write(_ mark: Mark, at place: Int, of table: OpenFile) throws {
        let bytes = [mark.high, mark.low].flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
        }
        try table.write(bytes, at: place * Mark.bytes)
    }

    private static func marks(in bytes: [UInt8]) -> [Mark] {
        unsafe bytes.withUnsafeBytes { buffer in
            func word(at offset: Int) -> UInt64 {
                unsafe UInt64(littleEndian: buffer.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            }
            return stride(from: 0, to: buffer.count, by: Mark.bytes).map {
                Mark(high: word(at: $0), low: word(at: $0 + 8))
            }
        }
    }

    private static func mark(of url: String) throws -> Mark {
        let sum = try Digest(.sha256, of: url).bytes
        let mark = marks(in: Array(sum.prefix(Mark.bytes)))[0]
        return mark == .none ? Mark(high: 0, low: 1) : mark
    }
}
