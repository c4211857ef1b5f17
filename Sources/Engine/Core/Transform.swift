/// How a picture is scaled and cut; sizes are those of the upright picture (EXIF orientation applied).
public struct Transform: Hashable, Sendable {
    /// The relation of the result to the box.
    public enum Mode: Hashable, Sendable {
        /// No scaling but by ``PictureEdits/zoom``, ``PictureEdits/pixelRatio`` and ``PictureEdits/least``.
        case none
        /// The whole picture, as large as fits into the box.
        case fit
        /// The box filled; what stands out is cut off evenly at both sides.
        case fill
        /// The box exactly; the aspect ratio is not kept.
        case stretch
        /// As `fill`; but of a picture smaller than the box only that is cut off which stands out of the box.
        case fillPartly
        /// As `fillPartly` where picture and box are both upright or both lie, else as `fit`.
        case auto
    }

    /// The relation of the result to the box.
    public let mode: Mode
    /// The box in pixels, of no meaning for ``Mode/none``; a side of 0 follows from the other and the picture,
    /// and both are not 0.
    public let box: PixelSize
    /// Whether a picture smaller than the box is scaled up.
    ///
    /// A smaller picture otherwise keeps its scale; `fill`
    /// then cuts it to the box's aspect ratio.
    public let enlarges: Bool
    /// How much care it is scaled with; ``Effort/balanced`` by default.
    public var effort = Effort.balanced
    /// Whether samples are averaged as light and not as they are coded; `false` by default, as everywhere else.
    ///
    /// Fine bright patterns on dark then keep their brightness; it takes more time.
    public var isLinearLight = false
    /// What else is done to it; nothing by default.
    public var edits = PictureEdits.none

    /// The picture as it is, upright.
    public static let none = Transform(mode: .none, box: PixelSize(width: 0, height: 0), enlarges: false)

    /// The whole picture within `width` by `height` pixels (up to 65,535 each).
    ///
    /// A side of 0 follows from the other; a picture for which both are 0 is refused with `invalid_request`.
    public static func fit(_ width: Int, _ height: Int, enlarges: Bool = false) -> Transform {
        Transform(mode: .fit, box: PixelSize(width: width, height: height), enlarges: enlarges)
    }

    /// The centre of the picture, filling `width` by `height` pixels (up to 65,535 each; 0 as in ``fit(_:_:enlarges:)``).
    public static func fill(_ width: Int, _ height: Int, enlarges: Bool = false) -> Transform {
        Transform(mode: .fill, box: PixelSize(width: width, height: height), enlarges: enlarges)
    }

    /// The picture stretched or squeezed to exactly `width` by `height` pixels (up to 65,535 each; 0 as in
    /// ``fit(_:_:enlarges:)``).
    public static func stretch(_ width: Int, _ height: Int) -> Transform {
        Transform(mode: .stretch, box: PixelSize(width: width, height: height), enlarges: true)
    }

    /// The same with another effort.
    public func effort(_ effort: Effort) -> Transform {
        var transform = self
        transform.effort = effort
        return transform
    }

    /// The same, samples averaged as light.
    public func inLinearLight() -> Transform {
        var transform = self
        transform.isLinearLight = true
        return transform
    }

    /// The same with `edits`.
    public func edited(_ edits: PictureEdits) -> Transform {
        var transform = self
        transform.edits = edits
        return transform
    }

    /// Creates a transform; sides of `box` are 0 to 65,535, and both are 0 for ``Mode/none`` alone.
    public init(mode: Mode, box: PixelSize, enlarges: Bool = false) {
        self.mode = mode
        self.box = box
        self.enlarges = enlarges
    }
}

/// How much care a picture is scaled with, against the time that it takes.
public enum Effort: String, CaseIterable, Hashable, Sendable {
    /// Least time; still finer than the fast modes of other programs.
    case fast
    /// The quality of libvips or better; the default.
    case balanced
    /// All pixels of the source, whatever it takes.
    case best
}
