public import CalotypeCore

/// Reads what an encoded picture is from its first bytes, without a decoder.
public enum ImageProbe: Sendable {
    /// Reads the header in `prefix`, the first bytes of an encoded picture.
    ///
    /// The work is bounded by the number of segments or chunks that stand before the picture, not by their lengths,
    /// so that a caller may ask again each time the prefix has doubled. Frames are `nil` until `isComplete` where
    /// only the whole tells them (GIF, TIFF, animated WebP and PNG, AVIF sequences); WebP tells its orientation at its end, and JPEG and PNG may.
    ///
    /// - Returns: the facts, or `nil` where the prefix is too short to tell them.
    /// - Throws: `unsupported_format`, `corrupt_image`; `truncated_image` when `isComplete` and the header is cut.
    public static func facts(
        fromPrefix prefix: [UInt8],
        isComplete: Bool
    ) throws(CalotypeError) -> ImageFacts? {
        var reader = ByteReader(prefix)
        return try facts(&reader, isComplete: isComplete)
    }

    /// What the first bytes alone show, whatever stands behind them.
    package enum Kind: Hashable, Sendable {
        /// A picture of this format, though it may be damaged.
        case picture(ImageFormat)
        /// No picture that is read.
        case other
        /// More bytes are needed.
        case undecided
    }

    /// Tells what `prefix` is the beginning of; a few dozen bytes will do as a rule, and a kilobyte always does.
    package static func kind(ofPrefix prefix: [UInt8], isComplete: Bool) -> Kind {
        switch FormatSniffer.sniff(prefix.prefix(FormatSniffer.longest), isComplete: isComplete) {
        case .picture(let format): return .picture(format)
        case .other: return .other
        case .undecided: return .undecided
        case .heif: break
        }
        var reader = ByteReader(prefix)
        do throws(HeaderFault) {
            return .picture(try HEIFHeader.format(&reader))
        } catch {
            guard case .outOfBytes = error, !isComplete else { return .other }
            return .undecided
        }
    }

    /// Reads all that is told about the picture in `input` without decoding it, frames counted.
    ///
    /// - Throws: as ``facts(fromPrefix:isComplete:)``, `truncated_image` also where the picture data is cut;
    ///   `file_not_readable`.
    public static func facts(of input: CodecInput) throws(CalotypeError) -> ImageFacts {
        try EncodedSource(input).facts()
    }

    /// The facts in `reader`; `nil` where it is not complete and ends within the header.
    static func facts(_ reader: inout ByteReader, isComplete: Bool) throws(CalotypeError) -> ImageFacts? {
        do throws(HeaderFault) {
            let start = try reader.bytes(0, min(reader.count, FormatSniffer.longest))
            var facts: ImageFacts
            switch FormatSniffer.sniff(start[...], isComplete: isComplete) {
            case .undecided: return nil
            case .other(let name): throw .unsupported(name)
            case .heif: facts = try HEIFHeader.facts(&reader)
            case .picture(let format): facts = try header(format, &reader)
            }
            // Of a picture that is cut further on, the header is told all the same.
            if isComplete { try? complete(&facts, &reader) }
            return facts
        } catch {
            if case .outOfBytes = error, !isComplete { return nil }
            throw Self.error(error)
        }
    }

    /// Adds what only the end tells; throws `outOfBytes` where the picture is cut.
    static func complete(_ facts: inout ImageFacts, _ reader: inout ByteReader) throws(HeaderFault) {
        switch facts.format {
        case .jpeg:
            try JPEGHeader.readBehindFrame(&facts, &reader)
            facts.frames = try JPEGHeader.walk(&reader)
        case .png: try PNGHeader.walk(&facts, &reader)
        case .gif: facts.frames = try GIFHeader.walk(&reader)
        case .tiff: facts.frames = try TIFFHeader.walk(&reader)
        case .avif, .heic: facts.frames = try HEIFHeader.walk(&reader)
        case .webp: (facts.frames, facts.orientation) = try WebPHeader.walk(&reader)
        }
    }

    /// The error that callers see for `fault`.
    static func error(_ fault: HeaderFault) -> CalotypeError {
        switch fault {
        case .outOfBytes:
            CalotypeError(.truncatedImage, "the picture ends before it is complete", stage: .probe)
        case .corrupt(let reason):
            CalotypeError(.corruptImage, reason, stage: .probe)
        case .unsupported(let name):
            CalotypeError(
                .unsupportedFormat,
                "this is \(name), not a picture that can be read",
                stage: .probe
            )
        case .unreadable(let number):
            CalotypeError(
                .fileNotReadable,
                "the file cannot be read (error \(number))",
                stage: .probe,
                cause: SystemError("read the file", code: number)
            )
        }
    }

    private static func header(
        _ format: ImageFormat,
        _ reader: inout ByteReader
    ) throws(HeaderFault) -> ImageFacts {
        switch format {
        case .jpeg: try JPEGHeader.facts(&reader)
        case .png: try PNGHeader.facts(&reader)
        case .gif: try GIFHeader.facts(&reader)
        case .tiff: try TIFFHeader.facts(&reader)
        case .webp: try WebPHeader.facts(&reader)
        case .avif, .heic: try HEIFHeader.facts(&reader)
        }
    }
}
