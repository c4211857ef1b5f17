/// A clock on which time passes a hundred times as fast, for pauses that are not to hold up a test.
struct HurriedClock: Clock {
    struct Instant: InstantProtocol {
        var offset: Duration

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.offset < rhs.offset }
    }

    private static let haste = 100
    private let start = ContinuousClock.now

    var now: Instant { Instant(offset: (ContinuousClock.now - start) * Self.haste) }
    var minimumResolution: Duration { .milliseconds(1) }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try await Task.sleep(for: max(now.duration(to: deadline), .zero) / Self.haste)
    }
}
