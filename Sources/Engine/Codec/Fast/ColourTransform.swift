import CalotypeCPictures

/// A transform of Little CMS, from a profile to sRGB.
// SAFETY: with cmsFLAGS_NOCACHE a transform does not change when it is used, so threads may share it. The
// handle stays valid from init to deinit and never leaves this type.
@safe
final class ColourTransform: @unchecked Sendable {
    /// The input samples.
    enum Input {
        case grey
        /// Red, green and blue, 8 bits each, interleaved, perhaps with alpha between them.
        case colours(hasAlpha: Bool)
    }

    private let transform: cmsHTRANSFORM
    private let channels: Int

    /// Creates the transform as libvips does: relative colorimetric, without black point compensation.
    ///
    /// `nil` if Little CMS cannot read the profile or cannot create a transform from it.
    init?(_ profile: [UInt8], _ input: Input) {
        let opened = unsafe profile.withUnsafeBytes { bytes in
            unsafe cmsOpenProfileFromMem(bytes.baseAddress, cmsUInt32Number(clamping: bytes.count))
        }
        guard let opened = unsafe opened else { return nil }
        defer { _ = unsafe cmsCloseProfile(opened) }
        let intent = cmsUInt32Number(ICCProfile.intent(of: profile).rawValue)
        let isIntended = unsafe cmsIsIntentSupported(opened, intent, cmsUInt32Number(LCMS_USED_AS_INPUT))
        guard isIntended != 0 else { return nil }
        // Little CMS falls back to a perceptual table here if there is no other; with the perceptual intent
        // itself it would compensate for black points.
        let relative = cmsUInt32Number(INTENT_RELATIVE_COLORIMETRIC)
        guard let sRGB = unsafe cmsCreate_sRGBProfile() else { return nil }
        defer { _ = unsafe cmsCloseProfile(sRGB) }
        let made = unsafe cmsCreateTransform(
            opened,
            input.format,
            sRGB,
            input.resultFormat,
            relative,
            cmsUInt32Number(cmsFLAGS_NOCACHE)
        )
        guard let made = unsafe made else { return nil }
        unsafe transform = made
        channels = input.channels
    }

    deinit {
        unsafe cmsDeleteTransform(transform)
    }

    /// Converts interleaved colours in place; Little CMS leaves the alpha between them as it is.
    func convert(_ row: inout MutableSpan<UInt8>) {
        let pixels = cmsUInt32Number(clamping: row.count / channels)
        unsafe row.withUnsafeMutableBytes { bytes in
            unsafe cmsDoTransform(transform, bytes.baseAddress, bytes.baseAddress, pixels)
        }
    }

    /// The first samples of the colours that `greys` become.
    func colours(ofGreys greys: [UInt8]) -> [UInt8] {
        var colours = [UInt8](repeating: 0, count: greys.count * 3)
        unsafe cmsDoTransform(transform, greys, &colours, cmsUInt32Number(clamping: greys.count))
        return greys.indices.map { colours[3 * $0] }
    }
}

extension ColourTransform.Input {
    var channels: Int {
        switch self {
        case .grey: 1
        case .colours(let hasAlpha): hasAlpha ? 4 : 3
        }
    }

    var format: cmsUInt32Number {
        switch self {
        case .grey: Self.format(PT_GRAY, samples: 1, others: 0)
        case .colours(let hasAlpha): Self.format(PT_RGB, samples: 3, others: hasAlpha ? 1 : 0)
        }
    }

    var resultFormat: cmsUInt32Number {
        switch self {
        case .grey: Self.format(PT_RGB, samples: 3, others: 0)
        case .colours: format
        }
    }

    /// A pixel format with one byte per sample, composed as by the macros of lcms2.h.
    private static func format(_ space: Int32, samples: Int32, others: Int32) -> cmsUInt32Number {
        let counts: Int32 = others << 7 | samples << 3
        return cmsUInt32Number(space << 16 | counts | 1)
    }
}
