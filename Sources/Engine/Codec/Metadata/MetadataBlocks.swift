import CalotypeCore

/// The metadata that a result carries.
struct MetadataBlocks: Hashable {
    /// An EXIF block from its byte order on; empty where there is none.
    var exif: [UInt8] = []
    /// An XMP packet.
    var xmp: [UInt8] = []
    /// IPTC, as JPEG has it.
    var iptc: [UInt8] = []
    /// An ICC profile.
    var profile: [UInt8] = []

    /// No metadata.
    static let none = MetadataBlocks()

    init() {}

    /// What is `kept` of the metadata that libvips read with `image`.
    init(of image: VipsImage, _ kept: KeptMetadata) {
        if kept.contains(.all) {
            exif = EXIFBlock.upright(EXIFBlock.unmarked(image.metadata("exif-data")))
            xmp = image.metadata("xmp-data")
            iptc = image.metadata("iptc-data")
        } else if kept.contains(.copyright) {
            exif = EXIFBlock.copyright(of: EXIFBlock.unmarked(image.metadata("exif-data")))
        }
        if kept.contains(.profile), image.hasOwnColours { profile = image.metadata("icc-profile-data") }
    }

    /// The copyright alone, where it is `kept` of `source`, whose format is one of the fast path's.
    init(of source: OpenedSource, _ kept: KeptMetadata) {
        guard kept.contains(.copyright) else { return }
        exif = EXIFBlock.copyright(of: EXIFBlock.block(of: source))
    }

    /// The same by the names that libvips's encoders know.
    var named: [String: [UInt8]] {
        ["exif-data": exif, "xmp-data": xmp, "iptc-data": iptc, "icc-profile-data": profile]
    }
}

extension VipsImage {
    /// Whether there is an embedded profile in whose colours the samples may stay: one of grey, or of red, green and blue.
    var hasOwnColours: Bool {
        switch ICCProfile.kind(of: metadata("icc-profile-data")) {
        case .grey, .colours: true
        case .other, .broken, .odd: false
        }
    }
}
