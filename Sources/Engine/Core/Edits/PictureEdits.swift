public import CalotypeFiles

/// Changes to a picture besides scaling it into a box; none by default.
///
/// The steps and their order are imgproxy's (https://docs.imgproxy.net): trim, crop, scale, rotate and flip,
/// cut to the box, blur, sharpen, pixelate, extend, padding, background, watermark. Positions and sizes are
/// those of the upright picture as it looks after rotating and flipping.
public struct PictureEdits: Hashable, Sendable {
    /// The index of the frame of an animation, or page of a document; 0 is the first.
    public var frame = 0
    /// The maximum number of frames of an animation to keep, from ``frame`` on; 1, the default, for a still
    /// picture.
    ///
    /// GIF, WebP and PNG are read as animations, and GIF and WebP written; all else gives the frame alone. All
    /// frames are cut alike, as the first of them decides, and keep their delays.
    public var mostFrames = 1
    /// The uniform border to cut off first; `nil` for none.
    public var trim: BorderTrim?
    /// Areas to make unrecognisable before anything is cut off or scaled, such as faces; none by default.
    ///
    /// Each grows by a tenth of its longer side in each direction, and is blurred by a Gaussian whose
    /// deviation is a tenth of the longest side of all areas, with soft edges. They lie on the picture as it
    /// looks after rotating and flipping.
    public var blurredAreas: [RelativeArea] = []
    /// The part of the trimmed source to use; `nil` for all of it.
    public var crop: CropArea?
    /// Where the box lies on a picture that extends beyond it; the centre by default.
    ///
    /// Under ``Transform/Mode/fill`` the centre cuts both sides equally, to the pixel.
    public var gravity = Gravity.centre
    /// The minimum width and height of the scaled picture, which enlarge it if needed; 0 for no minimum.
    ///
    /// What then extends beyond the box is cut off.
    public var least = PixelSize(width: 0, height: 0)
    /// The size of the middle to cut out of the scaled picture, at most that size; `nil` for all of it.
    public var middle: PixelSize?
    /// Multiplies the box, across and down; more than 0.
    public var zoom = ScaleFactors(1, 1)
    /// The number of result pixels for one pixel of the box, of paddings and of offsets; more than 0.
    public var pixelRatio = 1.0
    /// Whether to ignore the EXIF orientation.
    public var ignoresOrientation = false
    /// Quarter turns clockwise, 0 to 3.
    public var quarterTurns = 0
    /// Whether to swap left and right.
    public var flipsHorizontally = false
    /// Whether to swap top and bottom.
    public var flipsVertically = false
    /// The standard deviation of a Gaussian blur in pixels of the result; 0 for none.
    public var blur = 0.0
    /// The standard deviation of the sharpening mask in pixels of the result; 0 for none.
    public var sharpen = 0.0
    /// The side of the squares that the picture is reduced to, in pixels of the result; 0 or 1 for none.
    public var pixelation = 0
    /// The position of a smaller picture in the box, which is then filled up.
    ///
    /// `nil` to keep the picture smaller.
    public var extended: Gravity?
    /// The position of the picture in an area of the box's aspect ratio, which is then filled up.
    ///
    /// `nil` for no such area.
    public var extendedToAspectRatio: Gravity?
    /// Space around the picture, before ``pixelRatio``.
    public var padding = Padding()
    /// The colour behind transparency, extensions and paddings.
    ///
    /// `nil` keeps alpha, or is white if the format has none.
    public var background: Colour?
    /// A picture to lay on top; `nil` for none.
    public var watermark: Watermark?
    /// The maximum length of each side of the result in pixels, including paddings; 0 for no maximum.
    public var mostSide = 0
    /// The maximum size of the encoded result in bytes, reached by lower quality; `nil` for no maximum.
    ///
    /// Formats without a quality ignore it. If the result is too large even at the lowest quality, the error
    /// is `too_many_bytes`.
    public var mostBytes: ByteCount?
    /// The metadata of the source that the encoded result keeps; none by default.
    public var kept: KeptMetadata = []

    /// No edits.
    public init() {}

    /// No edits.
    public static let none = PictureEdits()
}

/// An area of a picture, in fractions of its sides.
public struct RelativeArea: Hashable, Sendable {
    /// Where it begins and ends across, from 0 to 1.
    public let x: ClosedRange<Double>
    /// Where it begins and ends down, from 0 to 1.
    public let y: ClosedRange<Double>

    /// Creates an area; what lies outside of the picture is cut off.
    ///
    /// `nil` for a side that ends before it begins, or is not a number.
    public init?(left: Double, top: Double, right: Double, bottom: Double) {
        func range(_ start: Double, _ end: Double) -> ClosedRange<Double>? {
            // Comparisons with NaN are false.
            start <= end ? min(max(start, 0), 1)...min(max(end, 0), 1) : nil
        }
        guard let x = range(left, right), let y = range(top, bottom) else { return nil }
        self.x = x
        self.y = y
    }
}

/// A factor for each direction.
public struct ScaleFactors: Hashable, Sendable {
    /// The factor across.
    public var x: Double
    /// The factor down.
    public var y: Double

    /// Creates the factors across and down.
    public init(_ x: Double, _ y: Double) {
        self.x = x
        self.y = y
    }
}

/// The metadata of a source that a result keeps.
public struct KeptMetadata: OptionSet, Hashable, Sendable {
    /// A bit for each kind.
    public let rawValue: Int

    /// Creates a set of the kinds whose bits are set.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// EXIF, XMP and IPTC, without the orientation, which is applied, and the thumbnail.
    ///
    /// GIF carries nothing, and TIFF no EXIF.
    public static let all = KeptMetadata(rawValue: 1)
    /// The EXIF fields of copyright and artist; GIF and TIFF do not carry them.
    public static let copyright = KeptMetadata(rawValue: 2)
    /// The colour profile, of grey or of red, green and blue.
    ///
    /// Samples stay in its colours and are not converted to sRGB.
    public static let profile = KeptMetadata(rawValue: 4)
}

/// The part of the source to use, cut out before scaling.
public struct CropArea: Hashable, Sendable {
    /// The width: pixels from 1 on, a fraction of the source's width below 1, all of it for 0.
    public var width: Double
    /// The height: pixels from 1 on, a fraction of the source's height below 1, all of it for 0.
    public var height: Double
    /// Where it lies; ``PictureEdits/gravity`` decides if `nil`.
    public var gravity: Gravity?

    /// Creates an area.
    public init(width: Double, height: Double, gravity: Gravity? = nil) {
        self.width = width
        self.height = height
        self.gravity = gravity
    }
}

/// How to find a uniform border to cut off.
public struct BorderTrim: Hashable, Sendable {
    /// The maximum difference of a sample from the border's colour, 0 to 255.
    public var threshold: Double
    /// The border's colour; the colour of the top left pixel if `nil`.
    public var colour: Colour?
    /// Whether to cut off equally at the left and right.
    public var isEqualHorizontally: Bool
    /// Whether to cut off equally at the top and bottom.
    public var isEqualVertically: Bool

    /// Creates a trim.
    public init(
        threshold: Double,
        colour: Colour? = nil,
        isEqualHorizontally: Bool = false,
        isEqualVertically: Bool = false
    ) {
        self.threshold = threshold
        self.colour = colour
        self.isEqualHorizontally = isEqualHorizontally
        self.isEqualVertically = isEqualVertically
    }
}

/// Where a smaller area lies in a larger one.
public enum Gravity: Hashable, Sendable {
    /// At an edge, at a corner or in the middle, moved by offsets.
    ///
    /// Offsets of 1 and more in either direction are pixels before ``PictureEdits/pixelRatio``, smaller ones
    /// are fractions of the larger area. They move away from the edge; in the middle, to the right and down.
    case place(Place, x: Double, y: Double)
    /// Around a point given as fractions of the larger area, 0 to 1.
    case focus(x: Double, y: Double)
    /// The part that draws the eye, as libvips' attention strategy finds it.
    case attention

    /// An edge, a corner or the middle.
    public enum Place: String, Hashable, Sendable, CaseIterable {
        case centre, north, south, east, west, northEast, northWest, southEast, southWest
    }

    /// In the middle.
    public static let centre = Gravity.place(.centre, x: 0, y: 0)
}

/// Space around a picture in pixels, 0 or more each.
public struct Padding: Hashable, Sendable {
    /// Pixels above.
    public var top: Int
    /// Pixels at the right.
    public var right: Int
    /// Pixels below.
    public var bottom: Int
    /// Pixels at the left.
    public var left: Int

    /// Creates a padding; none by default.
    public init(top: Int = 0, right: Int = 0, bottom: Int = 0, left: Int = 0) {
        self.top = top
        self.right = right
        self.bottom = bottom
        self.left = left
    }
}

/// An opaque colour in sRGB.
public struct Colour: Hashable, Sendable {
    /// Red, 0 to 255.
    public var red: UInt8
    /// Green, 0 to 255.
    public var green: UInt8
    /// Blue, 0 to 255.
    public var blue: UInt8

    /// Creates a colour.
    public init(red: UInt8, green: UInt8, blue: UInt8) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// Creates a colour from three or six hexadecimal digits such as `fff` or `20c0ff`; `nil` for other text.
    public init?(hexadecimal text: Substring) {
        let digits = text.compactMap { $0.isASCII ? $0.hexDigitValue : nil }
        guard digits.count == text.count, digits.count == 3 || digits.count == 6 else { return nil }
        let pairs = digits.count == 3 ? digits.flatMap { [$0, $0] } : digits
        let values = [0, 2, 4].map { place in UInt8(16 * pairs[place] + pairs[place + 1]) }
        self.init(red: values[0], green: values[1], blue: values[2])
    }

    /// White.
    public static let white = Colour(red: 255, green: 255, blue: 255)
}
