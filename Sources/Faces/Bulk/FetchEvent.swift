/// Something that a run tells while it goes on.
public enum FetchEvent: Sendable {
    /// How far it is; ten times a second and at the end.
    case progress(FetchProgress)
    /// Something that does not end the run but should be known; each once.
    case warning(String)
}
