import CalotypeCore

/// The decoders that a codec may choose from.
enum DecoderChoice: Sendable {
    /// libvips for everything.
    case libvips

    /// The way in which `specs` are made of `source`.
    ///
    /// - Throws: `corrupt_image`, `truncated_image`.
    func making(
        _ specs: [PictureSpec],
        of source: OpenedSource,
        limits: ImageLimits
    ) throws(CalotypeError) -> any PictureMaking {
        switch self {
        case .libvips: return VipsMaking(specs, of: source, limits: limits, because: "asked for")
        }
    }
}
