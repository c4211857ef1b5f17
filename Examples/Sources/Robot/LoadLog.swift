import Calotype
import CalotypeTestKit

/// Records when loads waited for the network, and when they processed pixels.
struct LoadLog: Sendable {
    private let starts = Recorder<ContinuousClock.Instant>()
    private let receipts = Recorder<ContinuousClock.Instant>()
    private let ends = Recorder<ContinuousClock.Instant>()

    /// Records an event of the pipeline; the loads run one after another.
    func record(_ event: PipelineEvent) {
        switch event.kind {
        case .started: starts.record(.now)
        case .received: receipts.record(.now)
        case .finished: ends.record(.now)
        default: break
        }
    }

    var network: [Ticker.Tick] { zip(starts.values, receipts.values).map { $0...$1 } }
    var pixels: [Ticker.Tick] { zip(receipts.values, ends.values).map { $0...$1 } }
}
