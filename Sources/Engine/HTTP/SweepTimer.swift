/// When the clocks of a loop's transfers are to be asked next.
///
/// Never later than the earliest deadline, but maybe earlier: a transfer that gets on moves its own deadline back, and nothing
/// is recomputed until the old one has come. It never leaves its loop's thread.
final class SweepTimer {
    typealias Instant = ContinuousClock.Instant

    private(set) var next: Instant?

    /// Sees to it that the clocks are asked at `deadline`, if there is one.
    func cover(_ deadline: Instant?) {
        guard let deadline else { return }
        next = next.map { min($0, deadline) } ?? deadline
    }

    /// Whether the clocks are to be asked at `now`; then all deadlines have to be told anew.
    func isDue(_ now: Instant) -> Bool {
        guard let next, now >= next else { return false }
        self.next = nil
        return true
    }

    /// The milliseconds until then, a minute at most.
    func patience(_ now: Instant) -> Int32 {
        guard let next else { return 60_000 }
        let left = ((next - now) / .milliseconds(1)).rounded(.up)
        return Int32(min(max(left, 0), 60_000))
    }
}
