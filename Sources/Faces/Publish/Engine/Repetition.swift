/// What to do where the journal knows the same post to the same destination.
public enum Repetition: String, Hashable, Sendable {
    /// Throws `already_published` or `publish_unfinished`.
    case refuse
    /// Goes on where the last one came to; gives the published post where it had come to its end.
    ///
    /// Throws `nothing_to_resume` if there is nothing to resume, and `source_changed` if its files were others.
    case resume
    /// Goes on as ``resume`` does, or begins where there is nothing to go on with.
    case resumeOrBegin
    /// Publishes it once more.
    case again
}
