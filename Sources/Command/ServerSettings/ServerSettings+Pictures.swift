import Calotype
import CalotypeCommandLineKit
import CalotypeCore
import CalotypeServer

// The properties of output images.
extension ServerSettings {
    static let pictures: [ServerSetting] = [
        ServerSetting(
            "quality",
            .integer(1...100),
            \.paths.defaults.quality,
            imgproxy: "QUALITY",
            help: "Quality of formats that have no quality of their own."
        ),
        ServerSetting(
            "format-quality",
            .qualities,
            default: "webp=79,avif=63",
            imgproxy: "FORMAT_QUALITY",
            help: "Quality of individual formats."
        ) { qualities, configuration in
            configuration.paths.defaults.formatQualities.merge(qualities) { $1 }
        },
        ServerSetting(
            switch: "progressive-jpeg",
            \.paths.defaults.isProgressive,
            imgproxy: "JPEG_PROGRESSIVE",
            help: "Make progressive JPEGs, which appear coarse first and sharpen while they load."
        ),
        negotiating("auto-webp", .webp, \.offered, "AUTO_WEBP", "ENABLE_WEBP_DETECTION"),
        negotiating("auto-avif", .avif, \.offered, "AUTO_AVIF", "ENABLE_AVIF_DETECTION"),
        negotiating("enforce-webp", .webp, \.enforced, "ENFORCE_WEBP"),
        negotiating("enforce-avif", .avif, \.enforced, "ENFORCE_AVIF"),
        ServerSetting(
            "preferred-formats",
            .formats,
            \.negotiation.preferred,
            default: "jpeg,png",
            imgproxy: "PREFERRED_FORMATS",
            help:
                """
                Source formats to keep if no output format is requested. Other sources become the first of \
                these formats that can represent them.
                """
        ),
        ServerSetting(
            "skip-processing-formats",
            .sourceFormats,
            \.paths.defaults.untouched,
            default: "none",
            imgproxy: "SKIP_PROCESSING_FORMATS",
            help:
                "Source formats to send unprocessed, but without metadata. svg is sent without scripts and links."
        ),
        ServerSetting(
            switch: "client-hints",
            \.heedsClientHints,
            imgproxy: "ENABLE_CLIENT_HINTS",
            help: "Use the screen information that browsers send (DPR and Width)."
        ),
        ServerSetting(
            switch: "keep-metadata",
            \.paths.defaults.stripsMetadata,
            to: false,
            imgproxy: "STRIP_METADATA",
            help: "Keep EXIF, XMP and IPTC unless a path says otherwise."
        ),
        ServerSetting(
            switch: "strip-copyright",
            \.paths.defaults.keepsCopyright,
            to: false,
            imgproxy: "KEEP_COPYRIGHT",
            help: "Remove copyright and artist too."
        ),
        ServerSetting(
            switch: "keep-color-profile",
            \.paths.defaults.stripsColourProfile,
            to: false,
            imgproxy: "STRIP_COLOR_PROFILE",
            help: "Keep colour profiles instead of converting colours to sRGB."
        ),
        ServerSetting(
            switch: "no-auto-rotate",
            \.paths.defaults.rotatesAutomatically,
            to: false,
            imgproxy: "AUTO_ROTATE",
            help: "Do not rotate images upright by their EXIF orientation."
        ),
        ServerSetting(
            switch: "return-attachment",
            \.paths.defaults.returnsAttachments,
            imgproxy: "RETURN_ATTACHMENT",
            help: "Make browsers save images instead of showing them."
        ),
        ServerSetting(
            "max-result-dimension",
            .integer(0...65_535),
            \.paths.defaults.mostSide,
            imgproxy: "MAX_RESULT_DIMENSION",
            help: "Maximum width and height of a result, in pixels; 0 for no limit."
        ),
        ServerSetting(
            "max-animation-frames",
            .integer(1...100_000),
            \.paths.defaults.mostFrames,
            imgproxy: "MAX_ANIMATION_FRAMES",
            help: "Maximum number of frames kept of an animated GIF, WebP or PNG; 1 for the first alone."
        ),
    ]

    /// Returns a switch for the formats that a browser accepts.
    private static func negotiating(
        _ name: String,
        _ format: ImageFormat,
        _ list: any WritableKeyPath<FormatNegotiation, [ImageFormat]> & Sendable,
        _ variables: String...
    ) -> ServerSetting {
        let when =
            name.hasPrefix("auto")
            ? "unless the path names a format" : "whatever format the path names"
        return ServerSetting(
            switch: name,
            imgproxy: variables,
            help: "Send \(format.rawValue) if the browser accepts it, \(when)."
        ) { isOn, configuration in
            var formats = configuration.negotiation[keyPath: list].filter { $0 != format }
            if isOn { formats.append(format) }
            // The better format first, in whatever order they were named.
            configuration.negotiation[keyPath: list] = [.avif, .webp].filter(formats.contains)
        }
    }
}
