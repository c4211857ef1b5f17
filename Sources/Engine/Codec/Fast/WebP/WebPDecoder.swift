import CalotypeCPictures
import CalotypeCore

/// Decodes a WebP with libwebp, which holds the whole picture but returns its rows as soon as they are
/// decoded.
@safe
final class WebPDecoder: RowDecoder {
    let layout: SampleLayout
    private(set) var isPartial = false

    private let decoder: OpaquePointer
    private let acceptsTruncated: Bool
    private var feed: WebPFeed
    /// The rows that are available, and those that were returned.
    private var decoded = 0
    private var given = 0
    /// The row from which everything is grey.
    private var firstGrey: Int

    private static let batchPixels = 128 << 10

    /// - Throws: `corrupt_image` if memory runs out.
    init(
        _ feed: WebPFeed,
        _ layout: SampleLayout,
        isForAveraging: Bool = false,
        acceptsTruncated: Bool
    ) throws(CalotypeError) {
        let size = layout.planes[0].size
        let made = unsafe cwebp_decoder_make(
            layout.model.cwebpSamples,
            Int32(clamping: size.width),
            Int32(clamping: size.height),
            isForAveraging ? 0 : 1
        )
        guard let made = unsafe made else { throw Self.noMemory(size) }
        unsafe decoder = made
        self.feed = feed
        self.layout = layout
        self.acceptsTruncated = acceptsTruncated
        firstGrey = size.height
    }

    deinit {
        unsafe cwebp_decoder_free(decoder)
    }

    private var size: PixelSize { layout.planes[0].size }

    func next(_ body: (_ plane: Int, _ row: Span<UInt8>) throws -> Void) throws -> Bool {
        if given == decoded { try decodeStep() }
        let batch = max(2, Self.batchPixels / size.width)
        for row in given..<min(decoded, given + batch) {
            // The first of two rows that share their colours waits for the second, which has them.
            try give(row, of: 0, body)
            given = row + 1
            guard layout.planes.count > 1, row % 2 == 1 || given == size.height else { continue }
            for plane in 1..<layout.planes.count { try give(row / 2, of: plane, body) }
        }
        return given < size.height
    }

    /// Decodes one more step of the bytes, which may produce no rows or many.
    private func decodeStep() throws(CalotypeError) {
        try feed.advance(hasRows: decoded > 0)
        let state = unsafe feed.bytes.withUnsafeBufferPointer { bytes in
            unsafe Int(cwebp_decoder_feed(decoder, bytes.baseAddress, feed.count))
        }
        decoded = unsafe Int(cwebp_decoder_rows(decoder))
        switch state {
        case CWEBP_COMPLETE where decoded == size.height: break
        case CWEBP_NEEDS_BYTES: if feed.isComplete { try endEarly() }
        case CWEBP_NO_MEMORY: throw Self.noMemory(size)
        default: throw CalotypeError.damaged("WEBP", "its data is invalid")
        }
    }

    private func endEarly() throws(CalotypeError) {
        guard acceptsTruncated, decoded > 0 else {
            throw CalotypeError.cut("WEBP", "rows are missing")
        }
        isPartial = true
        firstGrey = decoded
        decoded = size.height
    }

    private func give(
        _ row: Int,
        of plane: Int,
        _ body: (_ plane: Int, _ row: Span<UInt8>) throws -> Void
    ) throws {
        let length = layout.planes[plane].rowBytes
        guard row < (plane == 0 ? firstGrey : firstGrey == size.height ? .max : firstGrey / 2) else {
            return try body(plane, grey(plane).span)
        }
        let start = unsafe cwebp_decoder_row(decoder, Int32(clamping: plane), Int32(clamping: row))
        let samples = unsafe UnsafeBufferPointer(start: start, count: length)
        try body(plane, unsafe Span(_unsafeElements: samples))
    }

    /// An opaque row of middle grey.
    private func grey(_ plane: Int) -> [UInt8] {
        let length = layout.planes[plane].rowBytes
        switch layout.model {
        case .rgba: return (0..<length).map { $0 % 4 == 3 ? 255 : 128 }
        // In video range it is a little lower.
        case .videoYCbCr where plane == 0: return Array(repeating: 126, count: length)
        default: return Array(repeating: 128, count: length)
        }
    }

    private static func noMemory(_ size: PixelSize) -> CalotypeError {
        CalotypeError(
            .corruptImage,
            "not enough memory to decode a WebP of \(size) pixels",
            stage: .decode
        )
    }
}

extension SampleLayout.Model {
    fileprivate var cwebpSamples: Int32 {
        switch self {
        case .videoYCbCr: Int32(CWEBP_PLANES)
        case .rgba: Int32(CWEBP_RGBA)
        default: Int32(CWEBP_RGB)
        }
    }
}

/// The bytes of a WebP, made available step by step so that a decoder can pause between the steps.
///
/// A step is worth about 128 Ki pixels, roughly a millisecond. If many pixels take almost no bytes (pictures
/// of one colour), a step can be worth all of them: half a second for 100 megapixels.
struct WebPFeed {
    /// The available part of the file, from its first byte, and maybe more.
    private(set) var bytes: [UInt8]
    /// The number of bytes that the decoder may see.
    private(set) var count = 0

    private let file: PictureFile?
    private let total: Int
    private let isLossless: Bool
    private let step: Int

    private static let stepPixels = 128 << 10
    private static let leastStep = 1 << 10
    private static let blockLength = 256 << 10

    init(_ source: EncodedSource, pixels: Int, isLossless: Bool) {
        switch source {
        case .memory(let bytes):
            self.bytes = bytes
            file = nil
        case .file(let file):
            bytes = []
            self.file = file
        }
        total = source.count
        self.isLossless = isLossless
        let steps = max(1, pixels / Self.stepPixels)
        step = max(Self.leastStep, total / steps)
    }

    /// Whether all of the file is available.
    var isComplete: Bool { count == total }

    /// Makes the next step available; `hasRows` is true once the decoder has returned some.
    ///
    /// - Throws: `file_not_readable`, `truncated_image` for a file that has become shorter.
    mutating func advance(hasRows: Bool) throws(CalotypeError) {
        // The lossless decoder waits for an eighth of the file, and reads its header again after each cut.
        let length = isLossless && !hasRows ? max(step, total / 8) : step
        count = min(total, count + length)
        while bytes.count < count { try readBlock() }
    }

    private mutating func readBlock() throws(CalotypeError) {
        do throws(CodecError) {
            guard let file else { throw .outOfBytes }
            let block = try file.read(at: bytes.count, length: min(Self.blockLength, total - bytes.count))
            guard !block.isEmpty else { throw .outOfBytes }
            bytes.reserveCapacity(total)
            bytes += block
        } catch {
            throw ImageProbe.error(error)
        }
    }
}
