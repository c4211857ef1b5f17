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
