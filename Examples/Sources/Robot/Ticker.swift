import ExampleKit

/// Ticks on the main actor every 5 ms, and records the delay of each tick.
@MainActor
final class Ticker {
    /// The time from when a tick was due to when it happened.
    typealias Tick = ClosedRange<ContinuousClock.Instant>

    private var ticks: [Tick] = []

    /// Ticks until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            let due = ContinuousClock.now + .milliseconds(5)
            // A cancellation ends the sleep, and so the loop.
            try? await Task.sleep(until: due)
            ticks.append(due...max(due, .now))
        }
    }

    /// Returns the typical and the longest delay of the ticks during `periods`.
    func lateness(during periods: [Tick]) -> String {
        let late = ticks.filter { tick in periods.contains { $0.overlaps(tick) } }
            .map { $0.lowerBound.duration(to: $0.upperBound) }
            .sorted()
        guard let latest = late.last else { return "no tick" }
        return "\(late[late.count / 2].tenths) / \(latest.tenths)"
    }
}
