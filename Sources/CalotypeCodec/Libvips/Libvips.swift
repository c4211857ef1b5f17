import CVipsShim
public import CalotypeCore

/// libvips as a whole, which a process loads and starts once, at the first picture.
enum Libvips {
    /// What the one attempt of this process failed with.
    private static let failure: VipsFailure? = {
        var text = VipsFailure.emptyText
        return unsafe cvips_start(&text, text.count) == 0 ? nil : VipsFailure(text: text)
    }()

    /// Loads and starts libvips unless that was done; any thread may call.
    ///
    /// - Throws: `decoder_unavailable`.
    static func start() throws(CalotypeError) {
        guard let failure else { return }
        throw CalotypeError(
            .decoderUnavailable,
            "pictures need libvips 8.14 or later (on Debian 12: apt-get install libvips42), which cannot be used: \(failure)",
            stage: .decode,
            cause: failure
        )
    }
}

extension ErrorCode {
    /// The library that decodes pictures cannot be used on this machine.
    public static let decoderUnavailable = ErrorCode(rawValue: "decoder_unavailable")
}
