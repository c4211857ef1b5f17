public import CalotypeCore

/// How far a publication has come, as the server has told.
public struct PublishState: Hashable, Sendable {
    /// What the publication does.
    public enum Stage: String, Hashable, Sendable {
        /// Files are looked at; nothing has been sent.
        case preparing
        /// Media go up.
        case uploading
        /// All media are ready, and the post is sent.
        case posting
        /// The post is published.
        case posted
        /// The post is not published; what is up stays there for a resume.
        case failed
        /// It was cancelled; the post is not published.
        case cancelled
        /// Whether the post is published is not known; a resume finds out.
        case unknown

        /// Whether nothing comes after it.
        public var isLast: Bool {
            switch self {
            case .preparing, .uploading, .posting: false
            case .posted, .failed, .cancelled, .unknown: true
            }
        }
    }

    /// How far one medium has come.
    public struct Item: Hashable, Sendable {
        /// What a medium does.
        public enum Stage: String, Hashable, Sendable {
            /// Its turn has not come.
            case waiting
            /// It is looked at, or made smaller.
            case preparing
            /// It is sent.
            case uploading
            /// The server has all of it, and works on it.
            case processing
            /// The server has it, and can use it.
            case ready
            /// It cannot be brought to the server.
            case failed
        }

        /// The name that the server is told.
        public var name: String
        /// How many bytes it has: those of the source as long as it is not known what is sent.
        public var size = ByteCount(0)
        /// How many bytes have left.
        public var sent = ByteCount(0)
        /// How many bytes the server says that it has.
        public var acknowledged = ByteCount(0)
        /// What it does.
        public var stage = Stage.waiting
        /// The number of its attempts, from 1; 0 before the first.
        public var attempt = 0
        /// Whether it is a photo that is sent without the place where it was made.
        public var losesLocation = false
        /// How often the server has lost bytes that it had acknowledged.
        public var rewinds = 0
        /// Why the last attempt failed, until the next one gets on.
        public var problem: String?
        /// Until when it waits for its next attempt; `nil` while it does not wait.
        public var waitsUntil: ContinuousClock.Instant?
    }

    /// What the publication does.
    public var stage = Stage.preparing
    /// The media in the order of the post.
    public var items: [Item] = []
    /// Until when nothing is sent, because the server wants it so.
    public var rateLimitedUntil: ContinuousClock.Instant?
    /// Why the last attempt at the post itself failed.
    public var problem: String?
    /// Until when the post itself waits for its next attempt.
    public var waitsUntil: ContinuousClock.Instant?

    /// Creates the state before the beginning.
    public init() {}

    /// How many bytes all media have.
    public var total: ByteCount { ByteCount(items.reduce(0) { $0 + $1.size.bytes }) }
    /// How many bytes the server says that it has.
    public var acknowledged: ByteCount { ByteCount(items.reduce(0) { $0 + $1.acknowledged.bytes }) }
    /// How often the server has lost bytes that it had acknowledged.
    public var rewinds: Int { items.reduce(0) { $0 + $1.rewinds } }

    /// The part of all bytes that the server says that it has, from 0 to 1; exactly 1 when the post is published.
    public var fraction: Double {
        guard stage != .posted else { return 1 }
        guard total.bytes > 0 else { return 0 }
        return Double(acknowledged.bytes) / Double(total.bytes)
    }
}
