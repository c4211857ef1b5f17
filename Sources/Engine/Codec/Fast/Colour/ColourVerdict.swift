/// What has to be done to the samples of a picture with an embedded profile, so that they are sRGB.
enum ColourVerdict {
    /// They are sRGB, or the profile makes no sense for them and is ignored, as libvips ignores it.
    case unchanged
    /// Each row is converted.
    case converted(ColourConversion)
    /// The picture is libvips' to decode; why, in a few words for the report.
    case left(reason: String)
}
