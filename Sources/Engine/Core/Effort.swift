/// How much care a picture is scaled with, against the time that it takes.
public enum Effort: String, CaseIterable, Hashable, Sendable {
    /// Least time; still finer than the fast modes of other programs.
    case fast
    /// The quality of libvips or better; the default.
    case balanced
    /// All pixels of the source, whatever it takes.
    case best
}
