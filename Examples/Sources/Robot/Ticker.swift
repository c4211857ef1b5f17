import ExampleKit

/// Ticks on the main actor every 5 ms, and notes how late it was each time.
@MainActor
final class Ticker {
    /// From when a tick was due to when it came.
    typealias Tick = ClosedRange<ContinuousClock.Instant>

    private var ticks: [Tick] = []

    /// Ticks until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            let due = ContinuousClock.now + .milliseconds(5)
            // A cancellation ends the sleep, and the loop with it.
            try? await Task.sleep(until: due)
            ticks.append(due...max(due, .now))
        }
    }

    /// How late the typical and the latest tick were of those that were waited for during `periods`.
    func lateness(during periods: [Tick]) -> String {
        let late = ticks.filter { tick in periods.contains { $0.overlaps(tick) } }
            .map { $0.lowerBound.duration(to: $0.upperBound) }
            .sorted()
        guard let latest = late.last else { return "no tick" }
        return "\(late[late.count / 2].tenths) / \(latest.tenths)"
    }
}
