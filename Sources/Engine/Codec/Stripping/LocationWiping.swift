package import CalotypeCore

/// Removes the location from a photo's metadata, and leaves everything else unchanged.
///
/// Removes the position in EXIF (CIPA DC-008, 4.6.6), and any XMP packet that contains one, as a whole. Bytes are overwritten in
/// place, so that offsets within the file, such as that of a second picture behind the first, stay valid; chunks of a PNG are
/// removed.
package enum LocationWiping {
    /// Returns the picture in `input` without its location; `nil` if it contains none.
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
