/// Where a run of a sweep was cancelled.
public struct SweepCut: Hashable, Sendable, CustomStringConvertible {
    /// The step before which it was, from 1; `nil` for the run that was not cancelled.
    public let step: Int?
    /// Which of several ready jobs was next.
    public let order: CancellationSweep.JobOrder

    /// The cut and the order on one line, enough to have the run again.
    public var description: String {
        (step.map { "cut before step \($0)" } ?? "not cut") + ", order \(order)"
    }

    var next: SweepCut { SweepCut(step: (step ?? 0) + 1, order: order) }
}
