import CalotypeCore

/// The decoders that a codec may choose from.
enum DecoderChoice: Sendable {
    /// The fast path where it takes the source, else libvips.
    case fastest(FastPath)
    /// libvips for everything.
    case libvips

    init(_ configuration: ImageCodecConfiguration) {
        self =
            configuration.usesLibvipsOnly ? .libvips : .fastest(FastPath())
    }

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
        case .fastest(let path):
            switch try path.choice(source, specs.map(\.transform)) {
            case .libvips(let reason): return VipsMaking(specs, of: source, limits: limits, because: reason)
            case .fast(let fast, let conversion):
                return FastMaking(specs, of: source, fast, conversion, limits: limits)
            }
        }
    }
}
