import CalotypeCWebPShim
import CalotypeCore

/// Decodes a WebP with libwebp, which holds the whole picture but gives its rows as soon as they are decoded.
@safe
final class WebPDecoder: RowDecoder {
    let layout: SampleLayout
    private(set) var isPartial = false

    private let decoder: OpaquePointer
    private let acceptsTruncated: Bool
    private var feed: WebPFeed
    /// The rows that can be given, and those that were.
    private var decoded = 0
    private var given = 0
    /// The rows from which on there is nothing but grey.
    private var firstGrey: Int

    private static let batchPixels = 128 << 10

    /// - Throws: `corrupt_image` where there is not enough memory.
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

    /// Decodes what one more step of the bytes gives, none or many rows.
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
        default: throw CalotypeError.damaged("WEBP", "its data make no sense")
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

    /// A row of the middle grey, opaque.
    private func grey(_ plane: Int) -> [UInt8] {
        let length = layout.planes[plane].rowBytes
        switch layout.model {
        case .rgba: return (0..<length).map { $0 % 4 == 3 ? 255 : 128 }
        // In video range it is a little less.
        case .videoYCbCr where plane == 0: return Array(repeating: 126, count: length)
        default: return Array(repeating: 128, count: length)
        }
    }

    private static func noMemory(_ size: PixelSize) -> CalotypeError {
        CalotypeError(
            .corruptImage,
            "there is not enough memory to decode a WEBP of \(size) pixels",
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
