import CalotypeCPictures
import CalotypeCore

/// libjpeg's decoder of one JPEG: its header, then its rows.
@safe
final class JPEGReader {
    /// Its bytes or its file, which libjpeg reads progressively.
    private let source: EncodedSource
    // SAFETY: created in `init`, freed in `deinit`; the class is not Sendable, so one thread at a time uses
    // it.
    private let decoder: OpaquePointer

    /// Opens `source` without reading anything yet.
    ///
    /// - Throws: `too_many_pixels` if memory runs out.
    init(_ source: EncodedSource) throws(CalotypeError) {
        self.source = source
        let descriptor =
            switch source {
            case .memory: Int32(-1)
            case .file(let file): file.descriptor
            }
        guard let decoder = unsafe cjpeg_decoder_new(descriptor) else {
            throw Self.outOfMemory("libjpeg cannot be initialised")
        }
        unsafe self.decoder = decoder
    }

    deinit {
        unsafe cjpeg_decoder_free(decoder)
    }

    /// Whether the data ended early, so that some of the rows were filled in.
    var isPartial: Bool { unsafe cjpeg_decoder_is_partial(decoder) != 0 }

    /// Whether all scans of a progressive picture were read and still lack some of its detail.
    var lacksDetail: Bool { unsafe cjpeg_decoder_lacks_detail(decoder) != 0 }

    /// Reads the header; call it once, before anything else.
    ///
    /// - Throws: `corrupt_image`, `truncated_image`, `file_not_readable`.
    func header(keepsProfile: Bool) throws(CalotypeError) -> JPEGFrame {
        var header = unsafe CJPEGHeader()
        let status = unsafe withBytes {
            unsafe cjpeg_decoder_header(decoder, $0, $1, keepsProfile ? 1 : 0, &header)
        }
        try check(status)
        let profile = unsafe UnsafeBufferPointer(start: header.profile, count: header.profile_length)
        return unsafe JPEGFrame(
            geometry: header.frame,
            space: header.space,
            profile: Array(profile),
            hasLongProfile: header.has_long_profile != 0,
            hasArithmeticCodes: header.has_arithmetic_codes != 0
        )
    }

    /// Starts decoding at `scale` eighths, and returns the size of the decoded picture.
    ///
    /// - Throws: `corrupt_image`, `too_many_pixels` if memory runs out.
    func start(scale: Int, acceptsTruncated: Bool) throws(CalotypeError) -> PixelSize {
        var width: Int32 = 0
        var height: Int32 = 0
        let status = unsafe cjpeg_decoder_start(
            decoder,
            Int32(clamping: scale),
            acceptsTruncated ? 1 : 0,
            &width,
            &height
        )
        try check(status)
        return PixelSize(width: Int(width), height: Int(height))
    }

    /// Does the next portion of work, a few milliseconds at most.
    ///
    /// - Parameters:
    ///   - rows: Receives the next rows, at most as many as it has room for.
    ///   - rowBytes: The bytes of a row.
    /// - Returns: The number of rows, none while scans are gathered; whether they are the last ones.
    /// - Throws: `corrupt_image`, `truncated_image`, `file_not_readable`.
    func step(_ rows: inout [UInt8], rowBytes: Int) throws(CalotypeError) -> (rows: Int, isLast: Bool) {
        var made: Int32 = 0
        let most = Int32(clamping: rows.count / rowBytes)
        let status = unsafe rows.withUnsafeMutableBufferPointer { rows in
            unsafe withBytes {
                unsafe cjpeg_decoder_step(decoder, $0, $1, rows.baseAddress, rowBytes, most, &made)
            }
        }
        try check(status)
        return (Int(made), status == CJPEG_DONE)
    }

    /// Starts making rows at `scale` eighths from coefficients that the caller reads.
    ///
    /// - Returns: The size of the decoded picture.
    /// - Throws: `corrupt_image`, `too_many_pixels` if memory runs out.
    func startBlocks(scale: Int) throws(CalotypeError) -> PixelSize {
        var width: Int32 = 0
        var height: Int32 = 0
        unsafe try check(cjpeg_decoder_start_blocks(decoder, Int32(clamping: scale), &width, &height))
        return PixelSize(width: Int(width), height: Int(height))
    }

    /// The row of units whose coefficients ``rows(_:rowBytes:)`` needs next; `nil` after the last one.
    var wantedRow: Int? {
        let row = unsafe cjpeg_decoder_wanted_row(decoder)
        return row < 0 ? nil : Int(row)
    }

    /// Has `body` put a line of blocks of `component` in their place: 64 coefficients each, in natural order.
    func withBlocks(_ component: Int, line: Int, _ body: (inout MutableSpan<Int16>) -> Void) {
        var across: Int32 = 0
        let blocks = unsafe cjpeg_decoder_blocks(
            decoder,
            Int32(clamping: component),
            Int32(clamping: line),
            &across
        )
        guard let blocks = unsafe blocks else {
            preconditionFailure("component \(component) has no line \(line) of blocks")
        }
        // SAFETY: the decoder holds as many blocks until it is freed.
        var span = unsafe MutableSpan(_unsafeStart: blocks, count: Int(across) * 64)
        body(&span)
    }

    /// Makes the next rows, as far as the coefficients in place allow.
    ///
    /// - Parameters:
    ///   - rows: Receives them, at most as many as it has room for.
    ///   - rowBytes: The bytes of a row.
    /// - Returns: The number of rows; whether they are the last ones.
    /// - Throws: `corrupt_image`.
    func rows(_ rows: inout [UInt8], rowBytes: Int) throws(CalotypeError) -> (rows: Int, isLast: Bool) {
        var made: Int32 = 0
        let most = Int32(clamping: rows.count / rowBytes)
        let status = unsafe rows.withUnsafeMutableBufferPointer { rows in
            unsafe cjpeg_decoder_rows(decoder, rows.baseAddress, rowBytes, most, &made)
        }
        try check(status)
        return (Int(made), status == CJPEG_DONE)
    }

    /// Lends the bytes in memory to `body`; nil for a file.
    private func withBytes(_ body: (UnsafePointer<UInt8>?, Int) -> CJPEGStatus) -> CJPEGStatus {
        guard case .memory(let bytes) = source else { return body(nil, 0) }
        return unsafe bytes.withUnsafeBufferPointer { unsafe body($0.baseAddress, $0.count) }
    }

    private func check(_ status: CJPEGStatus) throws(CalotypeError) {
        guard status.rawValue < 0 else { return }
        let reason = unsafe String(cString: cjpeg_decoder_text(decoder))
        switch status {
        case CJPEG_TRUNCATED:
            throw CalotypeError.cut("JPEG", reason)
        case CJPEG_UNREADABLE:
            throw CalotypeError(.fileNotReadable, "the file cannot be read: \(reason)", stage: .decode)
        case CJPEG_NO_MEMORY: throw Self.outOfMemory(reason)
        default: throw CalotypeError.damaged("JPEG", reason)
        }
    }

    private static func outOfMemory(_ reason: String) -> CalotypeError {
        CalotypeError(
            .tooManyPixels,
            "not enough memory to decode the JPEG: \(reason)",
            stage: .decode
        )
    }
}

/// What libjpeg reads of a JPEG before its first scan.
struct JPEGFrame {
    /// The size and the sampling of the components.
    let geometry: CJPEGFrame
    /// What the components mean, if they can be decoded here.
    let space: CJPEGSpace
    /// The embedded ICC profile; empty if there is none or it is damaged.
    let profile: [UInt8]
    /// Whether the profile is too long to be kept.
    let hasLongProfile: Bool
    /// Whether it is arithmetic-coded; the decoder cannot detect that such data is truncated.
    let hasArithmeticCodes: Bool

    /// The size as stored.
    var size: PixelSize { PixelSize(width: Int(geometry.width), height: Int(geometry.height)) }

    /// The number of components.
    var components: Int { Int(geometry.components) }

    /// The layout of the decoded rows; `nil` if the picture is not decoded here.
    var model: SampleLayout.Model? {
        switch space {
        case CJPEG_GREY: .grey
        case CJPEG_COLOUR: .rgb
        default: nil
        }
    }

    /// The bytes of libjpeg and its rows at `scale` eighths, not counting the source's bytes.
    ///
    /// If libjpeg reads the scans, it `holdsCoefficients`: all those of a picture with several scans.
    func decoderBytes(scale: Int, holdsCoefficients: Bool = true) -> Int {
        var geometry = geometry
        if !holdsCoefficients { geometry.has_several_scans = 0 }
        let decoder = unsafe cjpeg_decoder_bytes(&geometry, Int32(clamping: scale))
        return Int(decoder) + JPEGDecoder.heldRows * (size.width * scale / 8 + 1) * (model?.channels ?? 3)
    }
}
