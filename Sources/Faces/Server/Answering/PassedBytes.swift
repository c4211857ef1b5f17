import Calotype
import CalotypeCore
import TaskFlow

/// What has become of a source whose bytes are sent while they come; for the log and the metrics, which are told at the end.
final class PassedBytes: Sendable {
    private struct State {
        var failure: LoadFailure?
        var costs: GrowingSource.Costs?
    }

    private let state = Guarded(State())

    /// The source is complete.
    func complete(_ costs: GrowingSource.Costs?) {
        state.withLock { $0.costs = costs }
    }

    /// The rest of the source does not come, and the answer is cut.
    func cut(_ failure: LoadFailure) {
        state.withLock { $0.failure = failure }
    }

    /// Whether the answer was cut for want of its rest.
    var isCut: Bool { state.withLock { $0.failure != nil } }

    /// Adds what is known now to what was known when the head was sent.
    func add(to record: inout AnswerRecord) {
        let state = state.withLock { $0 }
        if let failure = state.failure {
            record.add(failure)
            record.refusal = RequestRefusal(failure.error)
        }
        guard let costs = state.costs else { return }
        record.sourceBytes = costs.byteCount
        record.attempts = costs.attempts
        record.timings = costs.timings
        record.cache = costs.cache.rawValue
    }
}
