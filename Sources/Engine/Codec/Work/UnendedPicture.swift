import CalotypeCPictures
import CalotypeCore

/// A JPEG or PNG that stops before its end marker, but may still have every pixel.
struct UnendedPicture {
    private let source: OpenedSource
    /// The estimate of the memory that the check needs.
    let bytes: Int

    private static let jpegEnd: [UInt8] = [0xFF, 0xD9]
    private static let pngEnd: [UInt8] = [0, 0, 0, 0] + Array("IEND".utf8) + [0xAE, 0x42, 0x60, 0x82]
    /// The number of rows to decode at a time, or of bytes to inflate at a time.
    private static let (stepRows, stepBytes) = (16, 64 << 10)

    /// Creates a check for the cut `source`; `nil` if it is not a JPEG or PNG, or has nothing to show yet.
    init?(_ source: OpenedSource) {
        self.source = source
        switch source.facts.format {
        case .jpeg:
            guard let frame = try? JPEGReader(source.encoded).header(keepsProfile: false) else { return nil }
            bytes = 2 * source.encoded.count + frame.decoderBytes(scale: 1)
        case .png: bytes = 2 * source.encoded.count + Self.stepBytes
        case .avif, .gif, .heic, .tiff, .webp, .pnm, .jp2, .jxl, .bmp, .tga, .psd, .ico, .svg, .custom:
            return nil
        }
    }

    /// Returns the picture with the missing end marker; `nil` if pixels are missing.
    ///
    /// The check takes as long as a decode.
    ///
    /// - Throws: `file_not_readable`; the reason why the switch was pulled.
    func ended(_ killSwitch: KillSwitch) throws -> OpenedSource? {
        let bytes = try source.encoded.bytes()
        let ended =
            switch source.facts.format {
            case .png: try Self.png(bytes, killSwitch)
            default: try Self.jpeg(bytes, killSwitch)
            }
        guard let ended, let opened = try? EncodedSource.memory(ended).opened(), !opened.isCut else {
            return nil
        }
        return opened
    }

    private static func jpeg(_ bytes: [UInt8], _ killSwitch: KillSwitch) throws -> [UInt8]? {
        let ended = bytes + jpegEnd
        do {
            let reader = try JPEGReader(.memory(ended))
            let frame = try reader.header(keepsProfile: false)
            guard !frame.hasArithmeticCodes else { return nil }
            let size = try reader.start(scale: 1, acceptsTruncated: false)
            let rowBytes = size.width * frame.components
            var rows = [UInt8](repeating: 0, count: stepRows * rowBytes)
            while try !reader.step(&rows, rowBytes: rowBytes).isLast { try killSwitch.check() }
            return reader.lacksDetail ? nil : ended
        } catch is CalotypeError {
            try killSwitch.check()
            return nil
        }
    }

    private static func png(_ bytes: [UInt8], _ killSwitch: KillSwitch) throws -> [UInt8]? {
        guard let meter = unsafe cpng_meter_make() else { return nil }
        defer { unsafe cpng_meter_free(meter) }
        var reader = ByteReader(bytes)
        var inflated = UInt64(0)
        var offset = PNGChunk.header
        while offset + 12 <= bytes.count, case let chunk = try PNGChunk(&reader, at: offset),
            chunk.end <= bytes.count
        {
            // An animation may lack frames.
            guard chunk.kind != "acTL" else { return nil }
            let content = chunk.kind == "IDAT" ? chunk.content : 0..<0
            for start in stride(from: content.lowerBound, to: content.upperBound, by: stepBytes) {
                try killSwitch.check()
                let part = bytes.span.extracting(start..<min(start + stepBytes, content.upperBound))
                inflated = unsafe part.withUnsafeBufferPointer {
                    unsafe cpng_meter_add(meter, $0.baseAddress, $0.count)
                }
            }
            offset = chunk.end
        }
        guard offset > PNGChunk.afterHeader, inflated >= (try PNGHeader.filteredBytes(bytes)) else {
            return nil
        }
        return bytes[..<offset] + pngEnd
    }
}
