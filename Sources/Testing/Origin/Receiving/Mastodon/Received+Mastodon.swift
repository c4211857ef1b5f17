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
