/// A run of a sweep that did not go as it must.
public struct SweepFailure: Error, Sendable, CustomStringConvertible {
    /// Where the run was cancelled.
    public let cut: SweepCut
    /// What went wrong, for people.
    public let message: String
    /// What the scenario or the check threw.
    public let cause: (any Error)?

    init(_ cut: SweepCut, _ message: String, cause: (any Error)? = nil) {
        self.cut = cut
        self.message = message
        self.cause = cause
    }

    /// The cut and what went wrong, on one line.
    public var description: String { "\(cut): \(message)" }
}
