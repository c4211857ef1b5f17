/// How a picture is scaled and cut; sizes are those of the upright picture (EXIF orientation applied).
public struct Transform: Hashable, Sendable {
    /// How the result relates to the box.
    public enum Mode: Hashable, Sendable {
        /// No scaling, except by the edits.
        ///
        /// These are ``PictureEdits/zoom``, ``PictureEdits/pixelRatio`` and ``PictureEdits/least``.
        case none
        /// The whole picture, as large as fits into the box.
        case fit
        /// The box filled; what extends beyond it is cut off equally at both sides.
        case fill
        /// The box exactly; the aspect ratio is not kept.
        case stretch
        /// Like `fill`, but if the picture is smaller than the box, only the part beyond the box is cut off.
        case fillPartly
        /// Like `fillPartly` or `fit`, depending on the orientation.
        ///
        /// `fillPartly` if picture and box are both portrait or both landscape, otherwise `fit`.
        case auto
    }

    /// How the result relates to the box.
    public let mode: Mode
    /// The box in pixels, ignored by ``Mode/none``.
    ///
    /// A side of 0 follows from the other side and the picture; only one side can be 0.
    public let box: PixelSize
    /// Whether to enlarge a picture that is smaller than the box.
    ///
    /// Otherwise a smaller picture keeps its scale; `fill` then cuts it to the box's aspect ratio.
    public package(set) var enlarges: Bool
    /// The effort spent on scaling; ``Effort/balanced`` by default.
    public var effort = Effort.balanced
    /// Whether samples are averaged as light instead of as they are coded; `false` by default, as is usual.
    ///
    /// Fine bright patterns on a dark background then keep their brightness; it takes more time.
    public var isLinearLight = false
    /// Whether the result has 16 bits per sample; the codec sets it for ``OutputFormat/png16``.
    package var isDeep = false
    /// Further edits; none by default.
    public var edits: PictureEdits {
        get { edited?.edits ?? .none }
        set { edited = Edited(newValue, steps) }
    }
    /// The steps on the pixels after scaling and edits; see ``ImageRequest/processors``.
    public var processors: [any ImageProcessing] {
        get { steps.map(\.processor) }
        set { edited = Edited(edits, newValue.map { ProcessingStep($0) }) }
    }
    /// The processors with their names.
    package var steps: [ProcessingStep] { edited?.steps ?? [] }
    private var edited: Edited?

    /// The picture at its own size, upright.
    public static let none = Transform(mode: .none, box: PixelSize(width: 0, height: 0), enlarges: false)

    /// The whole picture within `width` by `height` pixels (up to 65,535 each).
    ///
    /// A side of 0 follows from the other; if both are 0, the request is refused with `invalid_request`.
    public static func fit(_ width: Int, _ height: Int, enlarges: Bool = false) -> Transform {
        Transform(mode: .fit, box: PixelSize(width: width, height: height), enlarges: enlarges)
    }

    /// The centre of the picture, filling `width` by `height` pixels (up to 65,535 each).
    ///
    /// 0 is as in ``fit(_:_:enlarges:)``.
    public static func fill(_ width: Int, _ height: Int, enlarges: Bool = false) -> Transform {
        Transform(mode: .fill, box: PixelSize(width: width, height: height), enlarges: enlarges)
    }

    /// The picture stretched or squeezed to exactly `width` by `height` pixels (up to 65,535 each).
    ///
    /// 0 is as in ``fit(_:_:enlarges:)``.
    public static func stretch(_ width: Int, _ height: Int) -> Transform {
        Transform(mode: .stretch, box: PixelSize(width: width, height: height), enlarges: true)
    }

    /// Returns the transform with another effort.
    public func effort(_ effort: Effort) -> Transform {
        var transform = self
        transform.effort = effort
        return transform
    }

    /// Returns the transform with samples averaged as light.
    public func inLinearLight() -> Transform {
        var transform = self
        transform.isLinearLight = true
        return transform
    }

    /// Returns the transform with up to `frames` frames of an animation; see ``PictureEdits/mostFrames``.
    public func animated(atMost frames: Int = .max) -> Transform {
        var transform = self
        transform.edits.mostFrames = frames
        return transform
    }

    /// Returns the transform with `edits`.
    public func edited(_ edits: PictureEdits) -> Transform {
        var transform = self
        transform.edits = edits
        return transform
    }

    /// Creates a transform; sides of `box` are 0 to 65,535, and only ``Mode/none`` allows both to be 0.
    public init(mode: Mode, box: PixelSize, enlarges: Bool = false) {
        self.mode = mode
        self.box = box
        self.enlarges = enlarges
    }
}

extension Transform {
    /// The edit or processor that supports only 8 bits per sample; `nil` if there is none.
    var shallowStep: String? {
        if let step = steps.first { return "the processor '\(step.identifier)'" }
        if edits.blur > 0 || !edits.blurredAreas.isEmpty { return "blurring" }
        if edits.sharpen > 0 { return "sharpening" }
        if edits.pixelation > 1 { return "pixelation" }
        return edits.watermark == nil ? nil : "a watermark"
    }
}

/// The edits and processors of a transform that has any.
///
/// An object, because most transforms have none, and each step of a waiting load holds several.
private final class Edited: Hashable, Sendable {
    let edits: PictureEdits
    let steps: [ProcessingStep]

    /// Creates `nil` if there are neither.
    init?(_ edits: PictureEdits, _ steps: [ProcessingStep]) {
        guard edits != .none || !steps.isEmpty else { return nil }
        self.edits = edits
        self.steps = steps
    }

    static func == (left: Edited, right: Edited) -> Bool {
        left === right || left.edits == right.edits && left.steps == right.steps
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(edits)
        hasher.combine(steps)
    }
}

/// The effort spent on scaling a picture, against the time it takes.
public enum Effort: String, CaseIterable, Hashable, Sendable {
    /// The least time; still finer than the fast modes of other programs.
    case fast
    /// The quality of libvips or better; the default.
    case balanced
    /// All pixels of the source, however long it takes.
    case best
}
