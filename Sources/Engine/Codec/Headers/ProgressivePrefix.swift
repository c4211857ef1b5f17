import CalotypeCore

/// The first bytes of a progressive JPEG (ITU-T T.81, G.1), made a JPEG of their own.
enum ProgressivePrefix {
    private static let end: [UInt8] = [0xFF, 0xD9]

    /// The scans in `prefix` that are complete, with an end; `nil` where there are none or it is no progressive JPEG.
    ///
    /// A JPEG may end after any of its scans. Cut so, it is sound to the decoder, which remains strict.
    ///
    /// - Throws: `corrupt_image`, `unsupported_format`.
    static func shown(of prefix: [UInt8]) throws(CalotypeError) -> [UInt8]? {
        guard prefix.starts(with: [0xFF, 0xD8, 0xFF]) else { return nil }
        guard let facts = try ImageProbe.facts(fromPrefix: prefix, isComplete: false) else { return nil }
        guard facts.format == .jpeg, facts.needsWholePicture else { return nil }
        var reader = ByteReader(prefix)
        guard let length = JPEGHeader.lastScanEnd(&reader) else { return nil }
        return prefix[..<length] + end
    }
}
