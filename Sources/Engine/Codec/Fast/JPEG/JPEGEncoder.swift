import CalotypeCPictures
import CalotypeCore

/// Encodes rows as a baseline JPEG without metadata; grey stays one component.
@safe
final class JPEGEncoder: RowEncoder {
    let model: SampleLayout.Model
    private let rowBytes: Int
    // SAFETY: created in `init`, freed in `deinit`; the class is not Sendable, so one thread at a time uses
    // it.
    private let encoder: OpaquePointer

    /// The quality from which colour is stored at full resolution.
    private static let fullColourQuality = 90

    /// Begins a picture of `size` whose rows have the colours of `source` without its alpha.
    ///
    /// - Parameters:
    ///   - size: At most 65,500 pixels in each direction, or the first row fails.
    ///   - quality: 1 to 100; from 90 on, colour is stored at full resolution.
    ///   - source: The layout of the picture before it is encoded.
    /// - Throws: `encode_failed`.
    init(_ size: PixelSize, quality: Int, source: SampleLayout.Model) throws(CalotypeError) {
        model = source == .grey || source == .greyAlpha ? .grey : .rgb
        rowBytes = size.width * model.channels
        let encoder = unsafe cjpeg_encoder_new(
            Int32(clamping: size.width),
            Int32(clamping: size.height),
            Int32(clamping: model.channels),
            Int32(clamping: quality),
            quality < Self.fullColourQuality ? 1 : 0
        )
        guard let encoder = unsafe encoder else { throw Self.failure("out of memory") }
        unsafe self.encoder = encoder
    }

    deinit {
        unsafe cjpeg_encoder_free(encoder)
    }

    func write(_ row: Span<UInt8>) throws(CalotypeError) {
        precondition(row.count == rowBytes, "a row of \(row.count) bytes, not of \(rowBytes)")
        try check(unsafe row.withUnsafeBufferPointer { unsafe cjpeg_encoder_write(encoder, $0.baseAddress) })
    }

    func finish() throws(CalotypeError) -> [UInt8] {
        var bytes: UnsafePointer<UInt8>?
        var count = 0
        unsafe try check(cjpeg_encoder_finish(encoder, &bytes, &count))
        return unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
    }

    private func check(_ status: CJPEGStatus) throws(CalotypeError) {
        guard status.rawValue < 0 else { return }
        throw Self.failure(unsafe String(cString: cjpeg_encoder_text(encoder)))
    }

    private static func failure(_ reason: String) -> CalotypeError {
        CalotypeError(.encodeFailed, "the image could not be encoded as JPEG: \(reason)", stage: .encode)
    }
}
