public import CalotypeCore

/// What a robot looks like, in the words of Robohash.
public struct RobotStyle: Hashable, Sendable {
    /// What is drawn.
    public enum Kind: String, CaseIterable, Hashable, Sendable {
        /// Robots, whole.
        case robots = "set1"
        /// Monsters.
        case monsters = "set2"
        /// Heads of robots.
        case heads = "set3"
        /// Kittens.
        case kittens = "set4"
        /// People.
        case humans = "set5"
    }

    /// What is behind it.
    public enum Background: String, CaseIterable, Hashable, Sendable {
        /// The first of the service's sets of backgrounds.
        case first = "bg1"
        /// The second.
        case second = "bg2"
        /// One of both, as the text decides.
        case any
    }

    /// How it is encoded.
    public enum Format: String, CaseIterable, Hashable, Sendable {
        /// PNG, JPEG or BMP.
        case png, jpg, bmp
    }

    /// What is drawn; the service's own choice, robots, where `nil`.
    public var kind: Kind?
    /// What is behind it; nothing where `nil`.
    public var background: Background?
    /// How large it is; the service's own size, 300 by 300, where `nil`.
    public var size: PixelSize?
    /// How it is encoded.
    ///
    /// It is a part of the text that the robot is made of: another format gives another robot.
    public var format: Format

    /// Creates a style, which leaves all to the service but the format.
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

    /// The URL of the robot of `text` below `base`.
    ///
    /// - Throws: `invalid_query` for a text that is empty or very long, and for a size that is not 1 to 4,096 pixels.
    func url(of text: String, below base: String) throws(CatalogError) -> String {
        guard (1...2_000).contains(text.utf8.count) else {
            throw CatalogError(.invalidQuery, "the robot's text is empty or longer than 2000 bytes")
        }
        var query = QueryText()
        query.add("set", kind?.rawValue)
        query.add("bgset", background?.rawValue)
        query.add("size", try sizeText)
        return "\(base)/\(PercentEncoding.encoded(text)).\(format.rawValue)\(query.text)"
    }

    private var sizeText: String? {
        get throws(CatalogError) {
            guard let size else { return nil }
            guard (1...4096).contains(size.width), (1...4096).contains(size.height) else {
                throw CatalogError(.invalidQuery, "the robot's size has to be 1 to 4096 pixels each way")
            }
            return "\(size.width)x\(size.height)"
        }
    }
}
