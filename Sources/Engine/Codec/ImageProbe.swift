public import CalotypeCore
import CalotypeFiles

/// Reads the facts about an encoded picture from its first bytes, without a decoder.
public enum ImageProbe: Sendable {
    /// Reads the header in `prefix`, the first bytes of an encoded picture.
    ///
    /// The work is bounded by the number of segments or chunks before the picture, not by their lengths, so
    /// that a caller may try again each time the prefix has doubled. Frames are `nil` until `isComplete` if
    /// only the whole file shows them (GIF, TIFF, animated WebP and PNG, AVIF sequences); WebP has its
    /// orientation at its end, and JPEG and PNG may.
    ///
    /// - Returns: The facts; `nil` if the prefix is too short.
    /// - Throws: `unsupported_format`, `corrupt_image`; `truncated_image` if `isComplete` and the header is
    ///   incomplete.
    public static func facts(
        fromPrefix prefix: [UInt8],
        isComplete: Bool
    ) throws(CalotypeError) -> ImageFacts? {
        var reader = ByteReader(prefix)
        return try facts(&reader, isComplete: isComplete)
    }

    /// The type of a file that its first bytes show, whatever follows them.
    package enum Kind: Hashable, Sendable {
        /// A picture of this format, though it may be damaged.
        case picture(ImageFormat)
        /// Not a supported picture.
        case other
        /// More bytes are needed.
        case undecided
    }

    /// Returns the type of the file that starts with `prefix`.
    ///
    /// A few dozen bytes usually suffice, and a kilobyte always does.
    package static func kind(ofPrefix prefix: [UInt8], isComplete: Bool) -> Kind {
        switch FormatSniffer.sniff(prefix[...], isComplete: isComplete) {
        case .picture(let format): return .picture(format)
        case .other: return .other
        case .undecided: return .undecided
        case .heif: break
        }
        var reader = ByteReader(prefix)
        do throws(CodecError) {
            return .picture(try HEIFHeader.format(&reader))
        } catch {
            guard case .outOfBytes = error, !isComplete else { return .other }
            return .undecided
        }
    }

    /// Reads all facts about the picture in `input` without decoding it, and counts the frames.
    ///
    /// - Throws: The errors of ``facts(fromPrefix:isComplete:)``, `truncated_image` also if the picture data
    ///   is incomplete; `file_not_readable`.
    public static func facts(of input: CodecInput) throws(CalotypeError) -> ImageFacts {
        try EncodedSource(input).facts()
    }

    /// The facts in `reader`; `nil` if it is incomplete and ends within the header.
    static func facts(
        _ reader: inout ByteReader,
        isComplete: Bool,
        _ decoders: [CustomDecoder] = []
    ) throws(CalotypeError) -> ImageFacts? {
        do throws(CodecError) {
            var facts: ImageFacts
            switch try FormatSniffer.sniff(&reader, isComplete: isComplete) {
            case .undecided: return nil
            case .other(let name): throw .unsupported(name)
            case .heif: facts = try HEIFHeader.facts(&reader)
            case .picture(let format): facts = try header(format, &reader)
            }
            // The header is reported even if the picture is truncated later.
            if isComplete { try? complete(&facts, &reader) }
            return facts
        } catch {
            if case .outOfBytes = error, !isComplete { return nil }
            if case .unsupported = error, let start = try? reader.start(),
                let decoder = decoders.first(where: { $0.begins(start) })
            {
                return try decoder.facts(start, isComplete: isComplete)
            }
            throw Self.error(error)
        }
    }

    /// Adds the facts that only the end shows; throws `outOfBytes` if the picture is truncated.
    static func complete(_ facts: inout ImageFacts, _ reader: inout ByteReader) throws(CodecError) {
        switch facts.format {
        case .jpeg:
            try JPEGHeader.readBehindFrame(&facts, &reader)
            facts.frames = try JPEGHeader.walk(&reader)
        case .png: try PNGHeader.walk(&facts, &reader)
        case .gif: facts.frames = try GIFHeader.walk(&reader)
        case .tiff: facts.frames = try TIFFHeader.walk(&reader)
        case .avif, .heic: facts.frames = try HEIFHeader.walk(&reader)
        case .webp: (facts.frames, facts.orientation) = try WebPHeader.walk(&reader)
        case .pnm: try PNMHeader.check(&reader)
        case .bmp: try BMPHeader.check(&reader)
        case .tga: try TGAHeader.check(&reader)
        case .psd: try PSDHeader.check(&reader)
        case .ico: try ICOHeader.check(&reader)
        case .jp2: try JPEG2000Header.check(&reader)
        case .jxl: try JPEGXLHeader.check(&reader)
        case .svg: try SVGHeader.check(&reader)
        case .custom: break
        }
    }

    /// Converts `error`, which occurred while reading bytes, to the error that callers see.
    static func error(_ error: CodecError) -> CalotypeError {
        switch error {
        case .outOfBytes:
            CalotypeError(.truncatedImage, "the image ends before it is complete", stage: .probe)
        case .corrupt, .unusual, .library, .workerEnded:
            CalotypeError(.corruptImage, error.description, stage: .probe)
        case .unsupported(let name):
            CalotypeError(
                .unsupportedFormat,
                "this is \(name), not an image in a supported format",
                stage: .probe
            )
        case .system(let error):
            CalotypeError(
                .fileNotReadable,
                "the file cannot be read (error \(error.code))",
                stage: .probe,
                cause: error
            )
        }
    }

    private static func header(
        _ format: ImageFormat,
        _ reader: inout ByteReader
    ) throws(CodecError) -> ImageFacts {
        switch format {
        case .jpeg: try JPEGHeader.facts(&reader)
        case .png: try PNGHeader.facts(&reader)
        case .gif: try GIFHeader.facts(&reader)
        case .tiff: try TIFFHeader.facts(&reader)
        case .webp: try WebPHeader.facts(&reader)
        case .avif, .heic: try HEIFHeader.facts(&reader)
        case .pnm: try PNMHeader.facts(&reader)
        case .bmp: try BMPHeader.facts(&reader)
        case .tga: try TGAHeader.facts(&reader)
        case .psd: try PSDHeader.facts(&reader)
        case .ico: try ICOHeader.facts(&reader)
        case .jp2: try JPEG2000Header.facts(&reader)
        case .jxl: try JPEGXLHeader.facts(&reader)
        case .svg: try SVGHeader.facts(&reader)
        case .custom: preconditionFailure("custom formats have no header of ours")
        }
    }
}

/// Recognises bytes by their beginning, whatever a name or a header says.
enum FormatSniffer {
    /// The type that the first bytes show.
    enum Finding: Equatable {
        case picture(ImageFormat)
        /// A HEIF file, whose brands show the exact format.
        case heif
        /// Not a supported picture; the text is a noun phrase with its article.
        case other(String)
        /// More bytes are needed.
        case undecided
    }

    /// The number of bytes that a decision may need.
    private static let longest = 64
    /// The number of bytes that a decision about markup may need, which may begin with comments.
    private static let longestMarkup = 1_024

    private static let pictures: [(magic: [UInt8], format: ImageFormat)] = [
        ([0xFF, 0xD8, 0xFF], .jpeg),
        ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], .png),
        (Array("GIF87a".utf8), .gif), (Array("GIF89a".utf8), .gif),
        ([0x49, 0x49, 0x2A, 0x00], .tiff), ([0x4D, 0x4D, 0x00, 0x2A], .tiff),
        ([0x49, 0x49, 0x2B, 0x00], .tiff), ([0x4D, 0x4D, 0x00, 0x2B], .tiff),
        ([0x00, 0x00, 0x01, 0x00], .ico), (Array("8BPS".utf8), .psd),
        ([0xFF, 0x0A], .jxl), ([0x00, 0x00, 0x00, 0x0C, 0x4A, 0x58, 0x4C, 0x20], .jxl),
        ([0xFF, 0x4F, 0xFF, 0x51], .jp2), ([0x00, 0x00, 0x00, 0x0C, 0x6A, 0x50, 0x20, 0x20], .jp2),
    ]

    private static let others: [(magic: [UInt8], name: String)] = [
        (Array("%PDF".utf8), "a PDF document"),
        (Array("PK\u{3}\u{4}".utf8), "a ZIP archive"),
        ([0x1F, 0x8B], "gzip-compressed data"),
        ([0x1A, 0x45, 0xDF, 0xA3], "a Matroska or WebM video"),
        (Array("OggS".utf8), "an Ogg file"),
        (Array("RIFF".utf8), "a RIFF file other than WebP"),
    ]

    /// Examines the first bytes of `reader`, as few as are needed; `isComplete` if it has all.
    static func sniff(_ reader: inout ByteReader, isComplete: Bool) throws(CodecError) -> Finding {
        let isShort = reader.count <= longest
        let finding = sniff(
            try reader.bytes(0, min(reader.count, longest))[...],
            isComplete: isComplete && isShort
        )
        guard finding == .undecided, !isShort else { return finding }
        return sniff(try reader.bytes(0, min(reader.count, longestMarkup))[...], isComplete: isComplete)
    }

    /// Examines `prefix`, the first bytes; `isComplete` if there are no more.
    static func sniff(_ prefix: ArraySlice<UInt8>, isComplete: Bool) -> Finding {
        if prefix.isEmpty { return isComplete ? .other("empty") : .undecided }
        if let match = pictures.first(where: { prefix.starts(with: $0.magic) }) {
            return .picture(match.format)
        }
        if let container = container(prefix) { return container }
        guard isComplete || prefix.count >= longest else { return .undecided }
        if BMPHeader.begins(prefix) { return .picture(.bmp) }
        if PNMHeader.begins(prefix) { return .picture(.pnm) }
        if let match = others.first(where: { prefix.starts(with: $0.magic) }) { return .other(match.name) }
        if let text = text(
            prefix.prefix(longestMarkup),
            isComplete: isComplete || prefix.count >= longestMarkup
        ) {
            return text
        }
        return TGAHeader.begins(prefix) ? .picture(.tga) : .other("data in an unknown format")
    }

    private static func container(_ prefix: ArraySlice<UInt8>) -> Finding? {
        guard prefix.count >= 12 else { return nil }
        let name = prefix.dropFirst(4).prefix(4)
        let brand = prefix.dropFirst(8).prefix(4)
        if prefix.starts(with: "RIFF".utf8), brand.elementsEqual("WEBP".utf8) { return .picture(.webp) }
        guard name.elementsEqual("ftyp".utf8) else { return nil }
        let brands = ["avif", "avis", "heic", "heix", "hevc", "hevx", "heim", "heis", "mif1", "msf1"]
        return brands.contains { brand.elementsEqual($0.utf8) }
            ? .heif : .other("a video or another MP4 file")
    }

    private static func text(_ prefix: ArraySlice<UInt8>, isComplete: Bool) -> Finding? {
        var content = prefix
        if content.starts(with: [0xEF, 0xBB, 0xBF]) { content = content.dropFirst(3) }
        content = content.drop { $0 == 0x20 || (9...13).contains($0) }
        let start = String(decoding: content, as: UTF8.self).lowercased()
        if start.hasPrefix("<") {
            if let markup = markup(start) { return markup }
            let isOpen = ["<?xml", "<!--", "<!doctype"].contains(where: start.hasPrefix)
            if isOpen, !isComplete { return .undecided }
            if start.hasPrefix("<?xml") { return .other("an XML document") }
            if isOpen { return .other("an HTML page") }
        }
        guard prefix.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || (9...13).contains($0) }) else { return nil }
        if start.hasPrefix("{") || start.hasPrefix("[") { return .other("JSON") }
        return .other(start.isEmpty ? "blank" : "text")
    }

    /// The kind of markup, by the first tag that says it; `nil` if none does.
    private static func markup(_ text: String) -> Finding? {
        if text.hasPrefix("<!doctype html") { return .other("an HTML page") }
        let tags = ["<html", "<head", "<body", "<script", "<title", "<div", "<p>"]
        let page = tags.compactMap { text.firstRange(of: $0)?.lowerBound }.min()
        guard let drawing = text.firstRange(of: "<svg")?.lowerBound else {
            return page.map { _ in .other("an HTML page") }
        }
        return page.map { $0 < drawing } == true ? .other("an HTML page") : .picture(.svg)
    }
}
