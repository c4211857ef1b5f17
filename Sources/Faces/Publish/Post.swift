public import CalotypeCore
import CalotypeFiles
import CalotypeHTTP
internal import Glibc

/// What is to be published: a text with photos, videos and other files, in order.
public struct Post: Hashable, Sendable {
    /// Who may see a post.
    public enum Visibility: String, Hashable, Sendable, CaseIterable, Codable {
        /// Everybody, also in lists.
        case everyone = "public"
        /// Everybody who has the link.
        case unlisted
        /// Followers.
        case followers = "private"
        /// Those whom the text mentions.
        case direct
    }

    /// The text; may be empty where there is a medium.
    public var text: String
    /// The media in the order in which they are shown.
    public var media: [Media]
    /// Who may see it; the server's own default where `nil`.
    public var visibility: Visibility?
    /// The language of the text as a BCP 47 tag such as `de`; the server's own default where `nil`.
    public var language: String?
    /// When the server is to show it; at once where `nil`.
    public var schedule: WallTime?

    /// Creates a post.
    public init(_ text: String, media: [Media] = []) {
        self.text = text
        self.media = media
    }
}

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

/// A post that is on a server.
public struct PublishedPost: Hashable, Sendable, Codable {
    /// The server's name for it; `nil` where it told none.
    public let id: String?
    /// Where it can be seen; `nil` where the server did not tell.
    public let url: String?
    /// Its media, in the order of the post.
    public let media: [UploadedMedium]

    /// Creates what a server answered.
    public init(id: String?, url: String?, media: [UploadedMedium]) {
        self.id = id
        self.url = url
        self.media = media
    }
}

extension Post {
    /// A file of a post that cannot be sent.
    public struct UnusableFile: Hashable, Sendable, CustomStringConvertible {
        /// Where it should be.
        public let path: String
        /// Why it cannot be sent, such as `no such file`.
        public let reason: String

        /// The path and the reason.
        public var description: String { "\(path): \(reason)" }
    }

    /// Looks at the files of the post, thumbnails too, and returns those that cannot be sent, in order and each once.
    ///
    /// It reads the disk: if there are many files, do not call it on a thread of the cooperative pool.
    public func unusableFiles() -> [UnusableFile] {
        var seen: Set<String> = []
        return media.flatMap { [$0.source, $0.thumbnail] }.compactMap { source in
            guard case .file(let path) = source, seen.insert(path).inserted else { return nil }
            return Self.reason(against: path).map { UnusableFile(path: path, reason: $0) }
        }
    }

    private static func reason(against path: String) -> String? {
        do throws(SystemError) {
            // A pipe would make the opening wait for its writer.
            let status = try OpenFile(path, O_RDONLY | O_NONBLOCK | O_NOCTTY).status()
            if status.isKind(S_IFDIR) { return "this is a folder" }
            if !status.isKind(S_IFREG) { return "this is no regular file" }
            return status.st_size == 0 ? "the file is empty" : nil
        } catch {
            return error.code == ENOENT ? "no such file" : error.reason.lowercased()
        }
    }
}
