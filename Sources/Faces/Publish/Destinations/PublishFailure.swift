public import CalotypeCore

/// Why an attempt failed, and what helps.
public struct PublishFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// What to do about a failure.
    public enum Remedy: Hashable, Sendable {
        /// Nothing helps: the publication fails.
        case none
        /// Another attempt after a pause.
        case retry
        /// Another attempt when the server wants it, and nothing else of the publication before that; after a pause where
        /// it told no time.
        case wait(Duration?)
        /// The server is busy with this very thing: ask again soon. It does not count as an attempt.
        case busy
        /// The server does not have the upload any more: what was remembered is void, start over.
        case startOver
        /// The post may be published or not: find out with the next attempt.
        case settle
    }

    /// What happened.
    public let error: CalotypeError
    /// What helps.
    public let remedy: Remedy

    /// Creates a failure.
    public init(_ error: CalotypeError, _ remedy: Remedy) {
        self.error = error
        self.remedy = remedy
    }

    /// What happened.
    public var description: String { error.description }

    /// Whether remedy, code and message are the same.
    public static func == (lhs: PublishFailure, rhs: PublishFailure) -> Bool {
        lhs.remedy == rhs.remedy && lhs.error.code == rhs.error.code && lhs.error.message == rhs.error.message
    }

    /// Hashes remedy and code.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(remedy)
        hasher.combine(error.code)
    }
}
