/// What the journal says of a publication.
public enum PublicationState: String, Hashable, Sendable {
    /// Its media are on their way; the post was not sent.
    case collecting
    /// The post was sent, and the answer is not known.
    case posting
    /// The post is published.
    case posted
    /// It was given up; what is up can be used by a resume.
    case failed
    /// It was cancelled; what is up is to be removed.
    case cancelled

    /// Whether nobody works on it any more, unless it is taken up again.
    var isOver: Bool { self == .posted || self == .cancelled }
}
