import CalotypeCPNGShim
import CalotypeCore

/// Filters and compresses the rows of one PNG.
// SAFETY: the pointer is valid from init to deinit and never leaves this type.
@safe
final class PNGWriter {
    private let pointer: OpaquePointer
    private let rowBytes: Int

    /// Makes a writer for rows of `rowBytes` bytes, `pixelBytes` bytes a pixel.
    ///
    /// - Throws: `encode_failed`.
    init(rowBytes: Int, pixelBytes: Int, filters: Bool, effort: Effort) throws(CalotypeError) {
        let effort: CPNGEffort =
            switch effort {
            case .fast: CPNG_FAST
            case .balanced: CPNG_BALANCED
            case .best: CPNG_BEST
            }
        guard let pointer = unsafe cpng_writer_make(rowBytes, UInt32(pixelBytes), filters, effort) else {
            throw Self.failure
        }
        unsafe self.pointer = pointer
        self.rowBytes = rowBytes
    }

    deinit {
        unsafe cpng_writer_free(pointer)
    }

    /// Takes the next row.
    ///
    /// - Throws: `encode_failed`.
    func write(_ row: Span<UInt8>) throws(CalotypeError) {
        precondition(row.count == rowBytes, "a row of \(row.count) bytes, not of \(rowBytes)")
        let done = unsafe row.withUnsafeBufferPointer { unsafe cpng_writer_write(pointer, $0.baseAddress) }
        guard done else { throw Self.failure }
    }

    /// Gives the compressed data of all rows to `body`.
    ///
    /// - Throws: `encode_failed`.
    func finish<Output>(_ body: (Span<UInt8>) -> Output) throws(CalotypeError) -> Output {
        var count = 0
        guard let bytes = unsafe cpng_writer_finish(pointer, &count) else { throw Self.failure }
        return unsafe body(UnsafeBufferPointer(start: bytes, count: count).span)
    }

    private static let failure = CalotypeError(
        .encodeFailed,
        "the picture could not be encoded as PNG: there is no memory",
        stage: .encode
    )
}
