internal import CalotypeCore
internal import CalotypeHTTP
internal import TaskFlow

/// The bytes that left of all parts together, while several are sent at a time.
final class PartProgress: Sendable {
    private struct State {
        var finished: Int
        /// The bytes that left of the parts under way, by number.
        var open: [Int: Int] = [:]

        var sum: Int { open.values.reduce(finished, +) }
    }

    private let whole: SendProgress
    private let state: Guarded<State>

    /// Tells `whole`, beginning with the bytes that were there before.
    init(_ whole: SendProgress, finished: ByteCount) {
        self.whole = whole
        state = Guarded(State(finished: finished.bytes))
    }

    /// What the request of a part is given.
    func part(_ number: Int) -> SendProgress {
        SendProgress { sent in
            self.tell { $0.open[number] = sent.bytes }
        }
    }

    /// Takes notice that a part is over: it is there, or it is to be sent again.
    func end(_ part: PartPlan.Part, isThere: Bool) {
        tell { state in
            state.open[part.number] = nil
            if isThere { state.finished += part.size.bytes }
        }
    }

    private func tell(_ change: (inout State) -> Void) {
        let sum = state.withLock { state in
            change(&state)
            return state.sum
        }
        whole.report(ByteCount(sum))
    }
}
