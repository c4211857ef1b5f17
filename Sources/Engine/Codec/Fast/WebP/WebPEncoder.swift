import CalotypeCPictures
import CalotypeCore

/// Encodes rows as WebP without metadata.
///
/// libwebp holds the whole picture, if lossy at half the size of its pixels, and encodes it after the last row.
@safe
final class WebPEncoder: RowEncoder {
    let model: SampleLayout.Model

    private let encoder: OpaquePointer
    private let quality: Int
    private let effort: Effort
    private let isCancelled: () -> Bool
    private let rowBytes: Int

    /// The widths and heights that the format supports.
    static let sides = 1...16_383

    /// Begins a picture.
    ///
    /// - Parameters:
    ///   - size: Its size, 1 to 16,383 pixels in each direction.
    ///   - model: The layout of the rows; not `videoYCbCr`.
    ///   - quality: 1 to 100; others are clamped. Of a lossless file it is the effort.
    ///   - isLossless: Whether the file has exactly these pixels; between two calls of `isCancelled` it can then
    ///     take 70 ns for each.
    ///   - effort: ``Effort/fast`` takes half the time for 3 % more bytes; the others are equal, since slower
    ///     settings of libwebp save bytes at the price of quality.
    ///   - isCancelled: Called during encoding, on the same thread; once it returns true, ``finish()`` soon
    ///     fails.
    /// - Throws: `encode_failed` for a size that WebP does not support.
    init(
        _ size: PixelSize,
        _ model: SampleLayout.Model,
        quality: Int,
        isLossless: Bool = false,
        effort: Effort = .balanced,
        isCancelled: @escaping () -> Bool = { false }
    ) throws(CalotypeError) {
        guard Self.sides.contains(size.width), Self.sides.contains(size.height) else {
            throw Self.failure("the maximum is \(Self.sides.upperBound) pixels per side, not \(size)")
        }
        let (width, height) = (Int32(clamping: size.width), Int32(clamping: size.height))
        let made = unsafe cwebp_encoder_make(
            width,
            height,
            Int32(clamping: model.channels),
            isLossless ? 1 : 0
        )
        guard let made = unsafe made else { throw Self.failure("not enough memory") }
        unsafe encoder = made
        self.model = model
        self.quality = min(max(quality, 1), 100)
        self.effort = effort
        self.isCancelled = isCancelled
        rowBytes = size.width * model.channels
    }

    deinit {
        unsafe cwebp_encoder_free(encoder)
    }

    /// The bytes for encoding a picture lossily, including the finished file.
    static func bytes(_ size: PixelSize, _ model: SampleLayout.Model) -> Int {
        let pixels = min(size.pixelCount, 1 << 40)
        // Y, Cb, Cr and alpha; their code, before and after; a strip of rows.
        return pixels * (model.hasAlpha ? 5 : 4) + min(size.width, 1 << 20) * 128 + 256 << 10
    }

    func write(_ row: Span<UInt8>) throws(CalotypeError) {
        precondition(row.count == rowBytes, "a row of \(rowBytes) bytes got \(row.count)")
        let isTaken = unsafe row.withUnsafeBufferPointer { row in
            unsafe cwebp_encoder_take(encoder, row.baseAddress) != 0
        }
        guard isTaken else { throw Self.failure("not enough memory, or too many rows") }
    }

    func finish() throws(CalotypeError) -> [UInt8] {
        let problem = unsafe cwebp_encoder_finish(
            encoder,
            Int32(clamping: quality),
            effort == .fast ? 2 : 4,
            { context in
                guard let context = unsafe context else { return 1 }
                let me = unsafe Unmanaged<WebPEncoder>.fromOpaque(context).takeUnretainedValue()
                return me.isCancelled() ? 0 : 1
            },
            // The object outlives the call, and is not called after it.
            Unmanaged.passUnretained(self).toOpaque()
        )
        if let problem = unsafe problem { throw Self.failure(unsafe String(cString: problem)) }
        var length = 0
        let bytes = unsafe cwebp_encoder_bytes(encoder, &length)
        return unsafe Array(UnsafeBufferPointer(start: bytes, count: length))
    }

    private static func failure(_ reason: String) -> CalotypeError {
        CalotypeError(
            .encodeFailed,
            "the image could not be encoded as WebP: \(reason)",
            stage: .encode
        )
    }
}
