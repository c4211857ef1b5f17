/// A post that was ordered, as it is written down.
struct StoredPost: Codable, Hashable, Sendable {
    enum State: String, Codable, Hashable, Sendable {
        /// It is being published, or was when the server ended without a word.
        case running
        case published
        case failed
        case cancelled
        /// The server ended meanwhile; it can be resumed.
        case interrupted
        /// Whether it is published is not known; a resume finds out.
        case unknown

        /// Whether it may be resumed, and its files have to stay.
        var isOpen: Bool {
            switch self {
            case .running, .failed, .interrupted, .unknown: true
            case .published, .cancelled: false
            }
        }
    }

    struct Medium: Codable, Hashable, Sendable {
        /// The file's identifier.
        let file: String
        /// The file's name, also when that is gone.
        let name: String
        let alt: String
    }

    let id: String
    let profile: String
    let text: String
    let visibility: String?
    let media: [Medium]
    /// Whether it is published once more where the same post was published before.
    let again: Bool
    /// In seconds since the start of 1970.
    let created: Int
    var state = State.running
    var url: String?
    var problem: String?
    /// The key of its publication in the publisher's journal, once there is one.
    var publication: String?
}
