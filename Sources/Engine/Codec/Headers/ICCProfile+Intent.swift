extension ICCProfile {
    /// How colours are brought from a device to another, by the numbers of ISO 15076-1, 7.2.15.
    enum Intent: Int32 {
        case perceptual = 0
        case relative = 1
        case saturation = 2
    }

    /// The intent by which `profile` is applied: relative colorimetric, or the first that it has a table for where it has
    /// neither a table nor curves for that.
    ///
    /// The profiles of some encoders, such as those of XYB JPEG, have a perceptual table alone.
    static func intent(of profile: [UInt8]) -> Intent {
        var reader = ByteReader(profile)
        guard let tags = try? tags(&reader) else { return .relative }
        let hasCurves = tags["kTRC"] != nil || tags["rTRC"] != nil && tags["rXYZ"] != nil
        if tags["A2B1"] != nil || hasCurves { return .relative }
        if tags["A2B0"] != nil { return .perceptual }
        return tags["A2B2"] != nil ? .saturation : .relative
    }
}
