public import CalotypeCore
import CalotypeFiles
import CalotypeHTTP
internal import CalotypePlatform

/// A post to be published: text with photos, videos and other files, in order.
public struct Post: Hashable, Sendable {
    /// Who may see a post.
    public enum Visibility: String, Hashable, Sendable, CaseIterable, Codable {
        /// Everybody; the post may appear in public lists.
        case everyone = "public"
        /// Everybody who has the link.
        case unlisted
        /// Followers only.
        case followers = "private"
        /// Only people whom the text mentions.
        case direct
    }

    /// The text; may be empty if the post has media.
    public var text: String
    /// The media in the order in which they are shown.
    public var media: [Media]
    /// The warning that readers see before the post; `nil` for none.
    public var contentWarning: String?
    /// Who may see the post; `nil` for the server's default.
    public var visibility: Visibility?
    /// The language of the text as a BCP 47 tag such as `de`; `nil` for the server's default.
    public var language: String?
    /// When the server should show the post; `nil` for immediately.
    public var schedule: WallTime?

    /// Creates a post.
    public init(_ text: String, media: [Media] = []) {
        self.text = text
        self.media = media
    }
}

/// A photo, video or other file in a post.
public struct Media: Hashable, Sendable {
    /// The source of a medium's bytes.
    public enum Source: Hashable, Sendable {
        /// A file, sent unchanged.
        case file(path: String)
        /// Bytes in memory, sent unchanged.
        case bytes([UInt8])
        /// A rendition of an image, created by the pipeline.
        case rendition(ImageRequest)
    }

    /// The point of an image that stays visible when the image is cropped.
    public struct Focus: Hashable, Sendable, Codable {
        /// The horizontal position, from -1 (left edge) to 1 (right edge).
        public let x: Double
        /// The vertical position, from -1 (bottom edge) to 1 (top edge).
        public let y: Double

        /// Creates a point; coordinates beyond an edge are moved to that edge.
        public init(x: Double, y: Double) {
            self.x = min(max(x, -1), 1)
            self.y = min(max(y, -1), 1)
        }
    }

    /// The source of the bytes.
    public var source: Source
    /// The file name sent to the server; `nil` to derive it from the source.
    public var name: String?
    /// A description for people who cannot see the medium.
    public var altText: String?
    /// The point that stays visible when the image is cropped; `nil` for the centre.
    public var focus: Focus?
    /// The preview image of a video or a sound, for servers that accept one.
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

/// A post that a server has published.
public struct PublishedPost: Hashable, Sendable, Codable {
    /// The server's ID for the post; `nil` if the server reported none.
    public let id: String?
    /// The post's URL; `nil` if the server reported none.
    public let url: String?
    /// The media, in the order of the post.
    public let media: [UploadedMedium]

    /// Creates a value from what the server reported.
    public init(id: String?, url: String?, media: [UploadedMedium]) {
        self.id = id
        self.url = url
        self.media = media
    }
}

extension Post {
    /// A file of a post that cannot be sent.
    public struct UnusableFile: Hashable, Sendable, CustomStringConvertible {
        /// The file's path.
        public let path: String
        /// The reason, such as `no such file`.
        public let reason: String

        /// The path and the reason.
        public var description: String { "\(path): \(reason)" }
    }

    /// Returns the post's files that cannot be sent, including thumbnails, in order and without duplicates.
    ///
    /// Reads the disk: if there are many files, do not call this method on a thread of the cooperative pool.
    public func unusableFiles() -> [UnusableFile] {
        var seen: Set<String> = []
        return media.flatMap { [$0.source, $0.thumbnail] }.compactMap { source in
            guard case .file(let path) = source, seen.insert(path).inserted else { return nil }
            return Self.reason(against: path).map { UnusableFile(path: path, reason: $0) }
        }
    }

    private static func reason(against path: String) -> String? {
        do throws(SystemError) {
            // Without `O_NONBLOCK`, opening a pipe would wait for its writer.
            let status = try OpenFile(path, O_RDONLY | O_NONBLOCK | O_NOCTTY).status()
            if status.isKind(S_IFDIR) { return "this is a folder" }
            if !status.isKind(S_IFREG) { return "this is not a regular file" }
            return status.st_size == 0 ? "the file is empty" : nil
        } catch {
            return error.code == ENOENT ? "no such file" : error.reason.lowercased()
        }
    }
}
