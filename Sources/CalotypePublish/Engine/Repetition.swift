/// What to do where the journal knows the same post to the same destination.
public enum Repetition: String, Hashable, Sendable {
    /// Throws `already_published` or `publish_unfinished`.
    case refuse
    /// Goes on where the last one came to; gives the published post where it had come to its end.
    case resume
    /// Publishes it once more.
    case again
}
