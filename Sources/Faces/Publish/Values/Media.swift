public import CalotypeCore

/// A photo, a video or another file of a post.
public struct Media: Hashable, Sendable {
    /// Where the bytes are.
    public enum Source: Hashable, Sendable {
        /// A file, sent as it is.
        case file(path: String)
        /// Bytes in memory, sent as they are.
        case bytes([UInt8])
        /// What the pipeline makes of a picture.
        case rendition(ImageRequest)
    }

    /// The point of a picture that stays in sight when it is cut.
    public struct Focus: Hashable, Sendable, Codable {
        /// From -1, the left edge, to 1, the right one.
        public let x: Double
        /// From -1, the lower edge, to 1, the upper one.
        public let y: Double

        /// Creates a point; coordinates beyond an edge are moved to it.
        public init(x: Double, y: Double) {
            self.x = min(max(x, -1), 1)
            self.y = min(max(y, -1), 1)
        }
    }

    /// Where the bytes are.
    public var source: Source
    /// The name that the server is told; made from the source where `nil`.
    public var name: String?
    /// What can be seen, for those who cannot see it.
    public var altText: String?
    /// The point that stays in sight; the middle where `nil`.
    public var focus: Focus?
    /// The picture that stands for a video or a sound, where the server takes one.
    public var thumbnail: Source?

    /// Creates a medium.
    public init(_ source: Source, altText: String? = nil) {
        self.source = source
        self.altText = altText
    }

    /// Creates a medium from the file at `path`.
    public static func file(_ path: String, altText: String? = nil) -> Media {
        Media(.file(path: path), altText: altText)
    }
}
