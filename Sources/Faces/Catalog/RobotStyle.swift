public import CalotypeCore
import CalotypeHTTPMessages

/// The style of a robot, in Robohash's terms.
public struct RobotStyle: Hashable, Sendable {
    /// The kind of image.
    public enum Kind: String, CaseIterable, Hashable, Sendable {
        /// Whole robots.
        case robots = "set1"
        /// Monsters.
        case monsters = "set2"
        /// Robot heads.
        case heads = "set3"
        /// Kittens.
        case kittens = "set4"
        /// People.
        case humans = "set5"
    }

    /// The background of the image.
    public enum Background: String, CaseIterable, Hashable, Sendable {
        /// The first of the service's background sets.
        case first = "bg1"
        /// The second background set.
        case second = "bg2"
        /// Either set, depending on the text.
        case any
    }

    /// The image format.
    public enum Format: String, CaseIterable, Hashable, Sendable {
        /// PNG, JPEG or BMP.
        case png, jpg, bmp
    }

    /// The kind of image; if `nil`, the service's default, robots.
    public var kind: Kind?
    /// The background; `nil` for none.
    public var background: Background?
    /// The size; if `nil`, the service's default, 300 by 300.
    public var size: PixelSize?
    /// The image format.
    ///
    /// It is part of the text that the robot is derived from, so another format gives another robot.
    public var format: Format

    /// Creates a style with the service's defaults, except for the format.
    public init(
        kind: Kind? = nil,
        background: Background? = nil,
        size: PixelSize? = nil,
        format: Format = .png
    ) {
        self.kind = kind
        self.background = background
        self.size = size
        self.format = format
    }

    /// Returns the URL of the robot for `text` below `base`.
    ///
    /// - Throws: `invalid_query` for an empty or very long text, and for a size that is not 1 to 4,096
    ///   pixels.
    func url(of text: String, below base: String) throws(CatalogError) -> String {
        guard (1...2_000).contains(text.utf8.count) else {
            throw CatalogError(.invalidQuery, "the robot's text is empty or longer than 2000 bytes")
        }
        var query = QueryText()
        query.add("set", kind?.rawValue)
        query.add("bgset", background?.rawValue)
        query.add("size", try sizeText)
        return "\(base)/\(PercentEscapes.encoded(text)).\(format.rawValue)\(query.text)"
    }

    private var sizeText: String? {
        get throws(CatalogError) {
            guard let size else { return nil }
            guard (1...4096).contains(size.width), (1...4096).contains(size.height) else {
                throw CatalogError(.invalidQuery, "the robot's size must be 1 to 4096 pixels per side")
            }
            return "\(size.width)x\(size.height)"
        }
    }
}
