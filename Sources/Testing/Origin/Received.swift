/// Everything that an origin has received since it started: the response to `/received`.
///
/// Includes what was deleted. Times are in seconds since the start of 1970.
public struct Received: Codable, Hashable, Sendable {
    /// A medium below `/inbox`.
    public struct Medium: Codable, Hashable, Sendable {
        /// Its path, such as `/inbox/a.jpg`.
        public let path: String
        /// Its size in bytes; 0 until a complete upload.
        public internal(set) var length = 0
        /// The digest of its bytes in hexadecimal; `nil` until a complete upload.
        public internal(set) var sha256: String?
        /// The number of complete uploads.
        public internal(set) var puts = 0
        /// The number of complete uploads that created it.
        public internal(set) var created = 0
        /// The number of complete uploads that replaced it with other bytes.
        public internal(set) var replaced = 0
        /// Whether it was deleted and not uploaded again.
        public internal(set) var deleted = false
        /// The bytes of all bodies sent to it, including incomplete ones.
        public internal(set) var bytesReceived = 0
        /// The number of incomplete bodies.
        public internal(set) var hangUps = 0
        /// The start of the first body.
        public let firstAt: Double
        /// The end of the last body.
        public internal(set) var lastAt: Double
    }

    /// A post below `/posts`.
    public struct Post: Codable, Hashable, Sendable {
        /// Its number, as text.
        public let id: String
        /// The Idempotency-Key of the first request.
        public let key: String?
        /// The body of the post.
        public let body: JSONValue
        /// The number of requests that received this post as their response.
        public let sends: Int
        /// Whether it was deleted.
        public let deleted: Bool
        /// The time of creation.
        public let at: Double
    }

    /// A request to a receiver.
    public struct Request: Codable, Hashable, Sendable {
        /// The method, such as `PATCH`.
        public let method: String
        /// The path and query, including the fault prefix.
        public let path: String
        /// The status of the response; `nil` if the connection ended first.
        public let status: Int?
        /// The number of bytes read from its body.
        public let bytes: Int
        /// Its Idempotency-Key.
        public let key: String?
        /// Whether it had an Authorization field.
        public let authorized: Bool
        /// The time at which it began.
        public let at: Double
    }

    /// The bytes in storage now.
    public let bytesKept: Int
    /// The media sent to `/inbox`, in the order of first arrival.
    public let media: [Medium]
    /// The uploads to `/tus/`, in the order of creation.
    public let uploads: [Upload]
    /// The posts sent to `/posts`, oldest first.
    public let posts: [Post]
    /// What the Mastodon simulator received.
    public let mastodon: Mastodon
    /// The last 1,000 requests, in the order in which they ended.
    public let requests: [Request]
}

extension Received {
    /// An upload to the tus endpoint.
    public struct Upload: Codable, Hashable, Sendable {
        /// The last part of its path.
        public let id: String
        /// Its path, such as `/tus/3w5e11264sgsf`.
        public let path: String
        /// The announced size in bytes.
        public let length: Int
        /// The number of bytes it has, or had when it was deleted or expired.
        public internal(set) var offset = 0
        /// The digest of its bytes in hexadecimal; `nil` until it is complete.
        public internal(set) var sha256: String?
        /// Whether all bytes arrived.
        public internal(set) var complete = false
        /// Whether the client deleted it.
        public internal(set) var deleted = false
        /// Whether it expired before it was complete.
        public internal(set) var expired = false
        /// The metadata that the client sent.
        public let metadata: [String: String]
        /// The number of requests to write.
        public internal(set) var patches = 0
        /// The number of requests for the offset that received it.
        public internal(set) var heads = 0
        /// The bytes of all bodies, including bytes that were dropped or lost later.
        public internal(set) var bytesReceived = 0
        /// The number of incomplete bodies.
        public internal(set) var hangUps = 0
        /// The number of requests refused because another one held the upload.
        public internal(set) var locked = 0
        /// The number of requests to write at a wrong offset.
        public internal(set) var conflicts = 0
        /// The number of requests with an Authorization field.
        public internal(set) var withAuthorization = 0
        /// The time of creation.
        public let firstAt: Double
        /// The end of the last request to it.
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
    /// What the Mastodon simulator received.
    public struct Mastodon: Codable, Hashable, Sendable {
        /// An attachment.
        public struct Medium: Codable, Hashable, Sendable {
            /// Its number, as text.
            public let id: String
            /// Its size in bytes.
            public let length: Int
            /// The digest of its bytes in hexadecimal.
            public let sha256: String
            /// `image`, `gifv`, `video` or `audio`.
            public let type: String
            /// The file name that the client sent.
            public let fileName: String
            /// Whether the client sent a thumbnail with it.
            public internal(set) var hasThumbnail: Bool
            /// The alternative text.
            public internal(set) var description: String?
            /// The focal point as the client wrote it, such as `0.5,-0.25`.
            public internal(set) var focus: String?
            /// The status that it is attached to.
            public internal(set) var attachedTo: String?
            /// Whether the client deleted it.
            public internal(set) var deleted = false
            /// The number of requests whether it is ready.
            public internal(set) var polls = 0
            /// The time of arrival.
            public let createdAt: Double
        }

        /// A status, published or scheduled.
        public struct Status: Codable, Hashable, Sendable {
            /// Its number, as text.
            public let id: String
            /// The Idempotency-Key of the first request.
            public let key: String?
            /// The text.
            public let text: String
            /// The attachments in their order.
            public let mediaIDs: [String]
            /// `public`, `unlisted`, `private` or `direct`.
            public let visibility: String
            /// The language code.
            public let language: String?
            /// Whether the media are hidden at first.
            public let sensitive: Bool
            /// The content warning.
            public let spoilerText: String
            /// The time to publish it; `nil` for immediately.
            public let scheduledAt: String?
            /// The number of requests that received it as their response.
            public internal(set) var sends = 1
            /// Whether the client deleted it.
            public internal(set) var deleted = false
            /// The time of arrival.
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
