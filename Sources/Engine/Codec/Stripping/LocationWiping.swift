package import CalotypeCore

/// Takes the place where a photo was made out of its metadata, and leaves everything else as it is.
///
/// That is the position in EXIF (CIPA DC-008, 4.6.6), and an XMP packet that tells one, as a whole. Bytes are overwritten where
/// they are, so that what refers to places in the file, such as a second picture behind the first, stays right; chunks of a PNG
/// go.
package enum LocationWiping {
    /// The picture in `input` without its place; `nil` where it tells none.
    ///
    /// It blocks, and holds the picture in memory.
    ///
    /// - Throws: `file_not_readable`, `too_many_bytes`; `unsupported_format` for what is no picture.
    package static func wiped(_ input: CodecInput) throws(CalotypeError) -> [UInt8]? {
        let source = try EncodedSource(input)
        try ImageLimits().check(source)
        let file = try source.bytes()
        guard
            case .picture(let format) = ImageProbe.kind(ofPrefix: Array(file.prefix(4096)), isComplete: true)
        else {
            throw CalotypeError(.unsupportedFormat, "this is no picture that can be read", stage: .probe)
        }
        guard format != .png else { return PNGLocation.wiped(file) }
        var finder = LocationFinder(file)
        // What cannot be understood ends the search; what was found before it goes.
        try? finder.search(format)
        return finder.isEmpty ? nil : finder.patched(file)
    }
}
