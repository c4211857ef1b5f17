import Calotype
import TaskFlow
import TaskFlowTesting

/// What a pipeline's observer was told, checked: each load begins once, ends once, and nothing is told of it before.
final class EventBook: Sendable {
    fileprivate struct State {
        var started: Set<UInt64> = []
        var ended: [UInt64: PipelineEvent.Kind] = [:]
        var pictures = 0
        var violation: String?
    }

    private let state = Guarded(State())

    /// How many pictures the decodes were to make.
    var pictureCount: Int { state.withLock(\.pictures) }
    /// How many loads have ended with a picture that came from `origin`.
    func count(_ origin: PipelineEvent.Origin) -> Int {
        state.withLock { $0.ended.values.count { $0 == .finished(origin) } }
    }

    /// Has the book told by a pipeline, besides the story.
    func configure(_ configuration: inout PipelineConfiguration) {
        let tell = configuration.observer
        configuration.observer = { event in
            tell?(event)
            self.take(event)
        }
    }

    private func take(_ event: PipelineEvent) {
        state.withLock { state in
            let load = event.load
            switch event.kind {
            case .started:
                if !state.started.insert(load).inserted { state.note("load \(load) started twice") }
                return
            case .finished, .failed, .cancelled:
                if state.ended[load] != nil { state.note("load \(load) ended twice: \(event.kind)") }
                state.ended[load] = event.kind
            case .decoding(let pictures): state.pictures += pictures
            case .requested, .received, .storeFailed: break
            }
            if !state.started.contains(load) {
                state.note("\(event.kind) is told of load \(load), which has not started")
            }
        }
    }

    /// Throws the first thing that was wrong, also that a load has not ended.
    func check() throws {
        try state.withLock { state in
            if let violation = state.violation { throw ScheduleError(violation) }
            let open = state.started.subtracting(state.ended.keys).sorted()
            guard open.isEmpty else { throw ScheduleError("the end of loads \(open) was never told") }
        }
    }
}

extension EventBook.State {
    fileprivate mutating func note(_ text: String) {
        violation = violation ?? text
    }
}
