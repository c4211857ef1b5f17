import CalotypeCPNGShim
import CalotypeCore

/// Turns the compressed data of one PNG into rows.
// SAFETY: the pointer is valid from init to deinit and never leaves this type; rows that are lent end with the closure.
@safe
final class PNGReader {
    private let pointer: OpaquePointer
    private let rowBytes: Int

    /// What came of a fill.
    enum Fill {
        /// All bytes were used, and more are needed for the next row.
        case hungry
        /// There are rows to take.
        case full
        /// The compressed data ends before the last row.
        case ended
        /// The compressed data makes no sense.
        case damaged
    }

    /// Makes a reader for rows of `pixels`.
    ///
    /// - Throws: `corrupt_image` where they are too wide for the memory.
    init(_ pixels: PNGPixels) throws(CalotypeError) {
        var rows = pixels.rows
        let lookup = pixels.lookup
        guard let pointer = unsafe cpng_reader_make(&rows, lookup.isEmpty ? nil : lookup) else {
            throw CalotypeError(
                .corruptImage,
                "there is no memory for rows of \(pixels.size.width) pixels",
                stage: .decode
            )
        }
        unsafe self.pointer = pointer
        rowBytes = pixels.size.width * pixels.model.channels
    }

    deinit {
        unsafe cpng_reader_free(pointer)
    }

    /// The bytes that a reader for rows of `pixels` holds.
    static func bytes(_ pixels: PNGPixels) -> Int {
        var rows = pixels.rows
        return unsafe Int(clamping: cpng_reader_bytes(&rows))
    }

    /// Takes compressed bytes as long as there is room for rows; `used` gets how many.
    func fill(_ bytes: Span<UInt8>, used: inout Int) -> Fill {
        let fill = unsafe bytes.withUnsafeBufferPointer { buffer in
            unsafe cpng_reader_fill(pointer, buffer.baseAddress, buffer.count, &used)
        }
        switch fill {
        case CPNG_HUNGRY: return .hungry
        case CPNG_FULL: return .full
        case CPNG_ENDED: return .ended
        default: return .damaged
        }
    }

    /// Hands the next row to `body`.
    ///
    /// - Returns: `false` where there is none yet.
    /// - Throws: `corrupt_image`; what `body` throws.
    func row(_ body: (Span<UInt8>) throws -> Void) throws -> Bool {
        var isUnknown = false
        guard let row = unsafe cpng_reader_row(pointer, &isUnknown) else {
            guard !isUnknown else {
                throw CalotypeError.damaged("PNG", "a row has an unknown filter")
            }
            return false
        }
        try unsafe body(UnsafeBufferPointer(start: row, count: rowBytes).span)
        return true
    }
}

extension PNGPixels {
    /// These pixels as the C code wants them.
    fileprivate var rows: CPNGRows {
        CPNGRows(
            width: UInt32(clamping: size.width),
            height: UInt32(clamping: size.height),
            depth: UInt8(depth),
            stored: UInt8(colour.samples),
            given: UInt8(model.channels),
            has_lookup: !lookup.isEmpty,
            has_key: key != nil,
            key: key ?? (0, 0, 0)
        )
    }
}
