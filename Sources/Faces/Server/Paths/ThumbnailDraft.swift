internal import CalotypeCore

/// An order in the making: options set parts of it, later ones over earlier ones.
struct ThumbnailDraft: Sendable {
    /// Space around a picture that is there or not, and where the picture lies in it.
    struct Extension {
        var isOn = false
        var gravity = GravityDraft()

        var place: Gravity? { isOn ? gravity.gravity ?? .centre : nil }
    }

    /// The most pixels of a side that a path may ask for.
    static let mostSide = 65_535

    var order: ThumbnailRequest
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

    /// An order that has only the defaults and what the browser told.
    init(_ defaults: ThumbnailDefaults, _ hints: ClientHints) {
        order = ThumbnailRequest(source: "")
        order.formatQualities = defaults.formatQualities
        order.defaultQuality = defaults.quality
        order.untouched = defaults.untouched
        order.isAttachment = defaults.returnsAttachments
        stripsMetadata = defaults.stripsMetadata
        keepsCopyright = defaults.keepsCopyright
        stripsColourProfile = defaults.stripsColourProfile
        edits.ignoresOrientation = !defaults.rotatesAutomatically
        edits.mostSide = defaults.mostSide
        edits.pixelRatio = hints.pixelRatio ?? 1
        // What the browser tells are pixels of the screen already.
        box.width = hints.width.map { Int((Double($0) / edits.pixelRatio).rounded()) } ?? 0
    }

    /// The order that all options make.
    ///
    /// - Parameters:
    ///   - source: Where the picture is.
    ///   - configuration: Has the watermark.
    /// - Returns: The order.
    /// - Throws: The answer where what was asked for cannot be done.
    func finished(source: String, _ configuration: PathConfiguration) throws(ServerError) -> ThumbnailRequest
    {
        var order = order
        order.source = source
        order.transform = try transform(configuration)
        return order
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
        // A box of no size leaves the scale to the factors and the least sides.
        let mode = box == PixelSize(width: 0, height: 0) ? Transform.Mode.none : resizing.mode
        return Transform(mode: mode, box: box, enlarges: enlarges).edited(edits)
    }

    private var kept: KeptMetadata {
        var kept: KeptMetadata = stripsMetadata ? (keepsCopyright ? .copyright : []) : .all
        if !stripsColourProfile { kept.insert(.profile) }
        return kept
    }
}

/// How a box is filled, in the words of paths.
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
