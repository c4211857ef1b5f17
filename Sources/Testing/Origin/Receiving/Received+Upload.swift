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
