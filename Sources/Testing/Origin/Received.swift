/// All that an origin has received since it started, deleted things included: what `/received` tells.
///
/// Times are seconds since the start of 1970.
public struct Received: Codable, Hashable, Sendable {
    /// A medium below `/inbox`.
    public struct Medium: Codable, Hashable, Sendable {
        /// Its path, such as `/inbox/a.jpg`.
        public let path: String
        /// How many bytes it has; 0 until it came whole once.
        public internal(set) var length = 0
        /// The digest of its bytes in hexadecimal; `nil` until it came whole once.
        public internal(set) var sha256: String?
        /// How often it came whole.
        public internal(set) var puts = 0
        /// How often it came whole where there was none.
        public internal(set) var created = 0
        /// How often other bytes came in its place.
        public internal(set) var replaced = 0
        /// Whether it was deleted and did not come again.
        public internal(set) var deleted = false
        /// The bytes of all bodies that were sent to it, cut ones included.
        public internal(set) var bytesReceived = 0
        /// How many bodies did not come to their end.
        public internal(set) var hangUps = 0
        /// When the first body began.
        public let firstAt: Double
        /// When the last body ended.
        public internal(set) var lastAt: Double
    }

    /// A post below `/posts`.
    public struct Post: Codable, Hashable, Sendable {
        /// Its number as text.
        public let id: String
        /// What its first request said in Idempotency-Key.
        public let key: String?
        /// What was posted.
        public let body: JSONValue
        /// How many requests were answered with this post.
        public let sends: Int
        /// Whether it was deleted.
        public let deleted: Bool
        /// When it was made.
        public let at: Double
    }

    /// A request to what receives.
    public struct Request: Codable, Hashable, Sendable {
        /// Such as `PATCH`.
        public let method: String
        /// Path and query, with the fault that they began with.
        public let path: String
        /// What was answered; `nil` where the connection ended first.
        public let status: Int?
        /// How many bytes of its body were taken.
        public let bytes: Int
        /// What it said in Idempotency-Key.
        public let key: String?
        /// Whether it had the field Authorization.
        public let authorized: Bool
        /// When it began.
        public let at: Double
    }

    /// The bytes that are kept now.
    public let bytesKept: Int
    /// What came to `/inbox`, in the order of first arrival.
    public let media: [Medium]
    /// The uploads to `/tus/`, in the order of creation.
    public let uploads: [Upload]
    /// What came to `/posts`, oldest first.
    public let posts: [Post]
    /// What came to the Mastodon simulator.
    public let mastodon: Mastodon
    /// The last 1,000 requests, in the order in which they ended.
    public let requests: [Request]
}

extension Received {
    /// An upload to the tus endpoint.
    public struct Upload: Codable, Hashable, Sendable {
        /// The last part of its path.
        public let id: String
        /// Such as `/tus/3w5e11264sgsf`.
        public let path: String
        /// How many bytes it is to have.
        public let length: Int
        /// How many it has, or had when it was deleted or expired.
        public internal(set) var offset = 0
        /// The digest of its bytes in hexadecimal; `nil` until it is complete.
        public internal(set) var sha256: String?
        /// Whether all bytes came.
        public internal(set) var complete = false
        /// Whether the client deleted it.
        public internal(set) var deleted = false
        /// Whether it went before it was complete.
        public internal(set) var expired = false
        /// What the client says about it.
        public let metadata: [String: String]
        /// How many requests wanted to write.
        public internal(set) var patches = 0
        /// How many requests asked for the offset and were told it.
        public internal(set) var heads = 0
        /// The bytes of all bodies, those included that were dropped or lost again.
        public internal(set) var bytesReceived = 0
        /// How many bodies did not come to their end.
        public internal(set) var hangUps = 0
        /// How many requests came while another one had the upload.
        public internal(set) var locked = 0
        /// How many requests wanted to write at another offset than there was.
        public internal(set) var conflicts = 0
        /// How many requests had the field Authorization.
        public internal(set) var withAuthorization = 0
        /// When it was created.
        public let firstAt: Double
        /// When the last request to it ended.
        public internal(set) var lastAt: Double

        init(id: String, path: String, length: Int, metadata: [String: String], at now: Double) {
            self.id = id
            self.path = path
            self.length = length
            self.metadata = metadata
            firstAt = now
            lastAt = now
        }
    }
}

extension Received {
    /// What came to the Mastodon simulator.
    public struct Mastodon: Codable, Hashable, Sendable {
        /// An attachment.
        public struct Medium: Codable, Hashable, Sendable {
            /// Its number as text.
            public let id: String
            /// How many bytes it has.
            public let length: Int
            /// The digest of its bytes in hexadecimal.
            public let sha256: String
            /// `image`, `gifv`, `video` or `audio`.
            public let type: String
            /// What the client called the file.
            public let fileName: String
            /// Whether a thumbnail came with it.
            public internal(set) var hasThumbnail: Bool
            /// The alternative text.
            public internal(set) var description: String?
            /// As the client wrote it, such as `0.5,-0.25`.
            public internal(set) var focus: String?
            /// The status that has it.
            public internal(set) var attachedTo: String?
            /// Whether the client deleted it.
            public internal(set) var deleted = false
            /// How often the client asked whether it is ready.
            public internal(set) var polls = 0
            /// When it came.
            public let createdAt: Double
        }

        /// A status, or one that is to be published later.
        public struct Status: Codable, Hashable, Sendable {
            /// Its number as text.
            public let id: String
            /// What its first request said in Idempotency-Key.
            public let key: String?
            /// The text.
            public let text: String
            /// The attachments in their order.
            public let mediaIDs: [String]
            /// `public`, `unlisted`, `private` or `direct`.
            public let visibility: String
            /// The language's code.
            public let language: String?
            /// Whether the media are hidden at first.
            public let sensitive: Bool
            /// The warning before the text.
            public let spoilerText: String
            /// When it is to be published; `nil` where that is at once.
            public let scheduledAt: String?
            /// How many requests were answered with it.
            public internal(set) var sends = 1
            /// Whether the client deleted it.
            public internal(set) var deleted = false
            /// When it came.
            public let at: Double

            enum CodingKeys: String, CodingKey {
                case id, key, text, visibility, language, sensitive, spoilerText, scheduledAt, sends, deleted,
                    at
                case mediaIDs = "mediaIds"
            }
        }

        /// The attachments, oldest first.
        public let media: [Medium]
        /// The statuses, oldest first.
        public let statuses: [Status]
    }
}
