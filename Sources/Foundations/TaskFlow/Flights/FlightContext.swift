/// What the operation of a flight knows of those who wait for it.
public struct FlightContext: Sendable {
    /// The highest priority and the earliest deadline of the present waiters.
    ///
    /// Give it to the gates and coalescers that the work waits for.
    public let priority: LivePriority
}
