import CVipsShim
public import CalotypeCore

/// libvips as a whole, which a process starts once, at the first picture.
enum Libvips {
    private static let hasStarted = cvips_start() == 0

    /// Starts libvips unless that was done; any thread may call.
    ///
    /// - Throws: `decoder_unavailable`.
    static func start() throws(CalotypeError) {
        guard hasStarted else {
            throw CalotypeError(
                .decoderUnavailable, "libvips cannot start: \(VipsFailure.take())", stage: .decode)
        }
    }
}

extension ErrorCode {
    /// The library that decodes pictures cannot be used on this machine.
    public static let decoderUnavailable = ErrorCode(rawValue: "decoder_unavailable")
}
