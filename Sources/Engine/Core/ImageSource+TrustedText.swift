extension ImageSource {
    /// Creates a source from a URL that also may name a file (`file:`, RFC 8089) or hold the picture itself (`data:`,
    /// RFC 2397); schemes are compared without regard to case.
    ///
    /// Use it only for text of the program's own or of its user. ``url(_:)`` refuses these schemes, so that a list or
    /// a page from outside can never name a file of this machine.
    ///
    /// A `file:` URL has an absolute path, no host other than `localhost`, and its query and fragment are ignored. A
    /// `data:` URL is percent-encoded or Base64 (RFC 4648, section 4; blanks within and missing padding are let pass);
    /// its media type is ignored, since the bytes tell the format. Everything else becomes ``url(_:)`` as it is.
    ///
    /// - Parameters:
    ///   - text: The URL.
    ///   - limits: Its ``ImageLimits/sourceBytes`` bound what a `data:` URL may hold.
    /// - Throws: `invalid_url` for a `file:` or `data:` URL that makes no sense, `too_many_bytes`.
    public init(trustedText text: String, limits: ImageLimits = ImageLimits()) throws(CalotypeError) {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            self = .url(text)
            return
        }
        let rest = text.utf8[text.utf8.index(after: colon)...]
        switch text[..<colon].lowercased() {
        case "file": self = .file(path: try FileURL.path(rest))
        case "data": self = .bytes(try DataURL.bytes(rest, most: limits.sourceBytes))
        default: self = .url(text)
        }
    }
}
