import CalotypeCPictures
import CalotypeCore

/// Encodes rows as a baseline or progressive JPEG without metadata; grey stays one component.
///
/// libjpeg holds the coefficients of a progressive picture, and encodes them after the last row.
@safe
final class JPEGEncoder: RowEncoder {
    let model: SampleLayout.Model
    private let rowBytes: Int
    // SAFETY: created in `init`, freed in `deinit`; the class is not Sendable, so one thread at a time uses
    // it.
    private let encoder: OpaquePointer
    private let isCancelled: () -> Bool

    /// The quality from which colour is stored at full resolution.
    private static let fullColourQuality = 90

    /// Begins a picture of `size` whose rows have the colours of `source` without its alpha.
    ///
    /// - Parameters:
    ///   - size: At most 65,500 pixels in each direction, or the first row fails.
    ///   - quality: 1 to 100; from 90 on, colour is stored at full resolution.
    ///   - source: The layout of the picture before it is encoded.
    ///   - isProgressive: Whether the file begins with a coarse picture that the rest refines.
    ///   - isCancelled: Called after the last row, on the same thread; once it returns true, ``finish()`` soon
    ///     fails.
    /// - Throws: `encode_failed`.
    init(
        _ size: PixelSize,
        quality: Int,
        source: SampleLayout.Model,
        isProgressive: Bool = false,
        isCancelled: @escaping () -> Bool = { false }
    ) throws(CalotypeError) {
        self.isCancelled = isCancelled
        model = source == .grey || source == .greyAlpha ? .grey : .rgb
        rowBytes = size.width * model.channels
        let encoder = unsafe cjpeg_encoder_new(
            Int32(clamping: size.width),
            Int32(clamping: size.height),
            Int32(clamping: model.channels),
            Int32(clamping: quality),
            quality < Self.fullColourQuality ? 1 : 0,
            isProgressive ? 1 : 0
        )
        guard let encoder = unsafe encoder else { throw Self.failure("out of memory") }
        unsafe self.encoder = encoder
    }

    deinit {
        unsafe cjpeg_encoder_free(encoder)
    }

    /// The bytes for each pixel of a picture whose rows have the colours of `source`, including the file.
    static func pixelBytes(_ source: SampleLayout.Model, isProgressive: Bool) -> Int {
        // Two bytes for each coefficient.
        isProgressive ? 1 + 2 * (source == .grey || source == .greyAlpha ? 1 : 3) : 1
    }

    func write(_ row: Span<UInt8>) throws(CalotypeError) {
        precondition(row.count == rowBytes, "a row of \(row.count) bytes, not of \(rowBytes)")
        try check(unsafe row.withUnsafeBufferPointer { unsafe cjpeg_encoder_write(encoder, $0.baseAddress) })
    }

    func finish() throws(CalotypeError) -> [UInt8] {
        var bytes: UnsafePointer<UInt8>?
        var count = 0
        let status = unsafe cjpeg_encoder_finish(
            encoder,
            { context in
                guard let context = unsafe context else { return 1 }
                let me = unsafe Unmanaged<JPEGEncoder>.fromOpaque(context).takeUnretainedValue()
                return me.isCancelled() ? 0 : 1
            },
            // The object outlives the call, and is not called after it.
            Unmanaged.passUnretained(self).toOpaque(),
            &bytes,
            &count
        )
        try check(status)
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
