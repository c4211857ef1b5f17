internal import CalotypeCore

/// A request under construction; later options override earlier ones.
struct ThumbnailDraft: Sendable {
    /// Optional space around an image, and the image's position in it.
    struct Extension {
        var isOn = false
        var gravity = GravityDraft()

        var place: Gravity? { isOn ? gravity.gravity ?? .centre : nil }
    }

    /// The maximum side in pixels that a path may request.
    static let mostSide = 65_535

    var thumbnail: ThumbnailRequest
    var edits = PictureEdits()
    var resizing = ResizingType.fit
    var box = PixelSize(width: 0, height: 0)
    var enlarges = false
    var gravity = GravityDraft()
    var cropped = CropArea(width: 0, height: 0)
    var cropGravity = GravityDraft()
    var extended = Extension()
    var extendedToAspectRatio = Extension()
    var trim = BorderTrim(threshold: 0)
    var trims = false
    var watermark = WatermarkDraft()
    var stripsMetadata: Bool
    var keepsCopyright: Bool
    var stripsColourProfile: Bool

    /// Creates a request from the defaults and the client hints.
    init(_ defaults: ThumbnailDefaults, _ hints: ClientHints) {
        thumbnail = ThumbnailRequest(source: "")
        thumbnail.formatQualities = defaults.formatQualities
        thumbnail.defaultQuality = defaults.quality
        thumbnail.isProgressive = defaults.isProgressive
        thumbnail.untouched = defaults.untouched
        thumbnail.isAttachment = defaults.returnsAttachments
        stripsMetadata = defaults.stripsMetadata
        keepsCopyright = defaults.keepsCopyright
        stripsColourProfile = defaults.stripsColourProfile
        edits.ignoresOrientation = !defaults.rotatesAutomatically
        edits.mostSide = defaults.mostSide
        edits.mostFrames = defaults.mostFrames
        edits.pixelRatio = hints.pixelRatio ?? 1
        // The hint is already in screen pixels.
        box.width = hints.width.map { Int((Double($0) / edits.pixelRatio).rounded()) } ?? 0
    }

    /// Creates the request from all options.
    ///
    /// - Parameters:
    ///   - source: The URL of the image.
    ///   - configuration: Provides the watermark.
    /// - Returns: The request.
    /// - Throws: The error response if the request cannot be fulfilled.
    func finished(source: String, _ configuration: PathConfiguration) throws(ServerError) -> ThumbnailRequest
    {
        var thumbnail = thumbnail
        thumbnail.source = source
        thumbnail.transform = try transform(configuration)
        return thumbnail
    }

    private func transform(_ configuration: PathConfiguration) throws(ServerError) -> Transform {
        var edits = edits
        edits.gravity = gravity.gravity ?? .centre
        if cropped.width > 0 || cropped.height > 0 {
            edits.crop = CropArea(width: cropped.width, height: cropped.height, gravity: cropGravity.gravity)
        }
        edits.extended = extended.place
        edits.extendedToAspectRatio = extendedToAspectRatio.place
        edits.trim = trims ? trim : nil
        edits.watermark = try watermark.finished(configuration)
        edits.kept = kept
        // Without a box, the factors and the minimum sides determine the scale.
        let mode = box == PixelSize(width: 0, height: 0) ? Transform.Mode.none : resizing.mode
        return Transform(mode: mode, box: box, enlarges: enlarges).edited(edits)
    }

    private var kept: KeptMetadata {
        var kept: KeptMetadata = stripsMetadata ? (keepsCopyright ? .copyright : []) : .all
        if !stripsColourProfile { kept.insert(.profile) }
        return kept
    }
}

/// How an image fills its box, in the words of paths.
enum ResizingType: String, CaseIterable, Hashable, Sendable {
    case fit, fill
    case fillDown = "fill-down"
    case force, auto

    var mode: Transform.Mode {
        switch self {
        case .fit: .fit
        case .fill: .fillPartly
        case .fillDown: .fill
        case .force: .stretch
        case .auto: .auto
        }
    }
}
