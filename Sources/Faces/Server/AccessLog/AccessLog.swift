import CalotypeCore
internal import Glibc
import TaskFlow

/// Takes lines from those who answer, who never wait, to a writer that may have to.
///
/// What does not fit is dropped and counted; the next line that is written is told how many were lost before it.
final class AccessLog: Sendable {
    private struct State {
        var entries: [AccessEntry] = []
        var dropped = 0
        /// Those of ``dropped`` that no line has told of yet.
        var untold = 0
        var hasEnded = false
        var writer: CheckedContinuation<Void, Never>?
    }

    private static let gatheringMicroseconds: UInt32 = 4_000

    /// The most entries that wait to be written.
    private let limit: Int
    private let output: LogOutput
    private let state = Guarded(State())

    /// Creates a log that keeps up to `limit` entries for its writer.
    init(_ output: LogOutput, limit: Int = 8_192) {
        self.output = output
        self.limit = limit
    }

    /// The entries that were lost so far.
    var droppedCount: Int { state.withLock { $0.dropped } }

    /// Hands over an entry, or counts it as lost.
    func add(_ entry: AccessEntry) {
        let writer = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.entries.count < limit else {
                state.dropped += 1
                state.untold += 1
                return nil
            }
            state.entries.append(entry)
            defer { state.writer = nil }
            return state.writer
        }
        writer?.resume()
    }

    /// Lets the writer write what there is and end.
    func end() {
        let writer = state.withLock { state in
            state.hasEnded = true
            defer { state.writer = nil }
            return state.writer
        }
        writer?.resume()
    }

    /// Writes until the end; it blocks the thread that it is run on.
    @concurrent
    func run() async {
        while let (entries, lost) = await next() {
            var text = lost > 0 ? "{\"lost_entries\":\(lost)}\n" : ""
            for entry in entries { text += entry.json + "\n" }
            output.write(Array(text.utf8)) { self.state.withLock { $0.hasEnded } }
        }
    }

    /// What there is to write, when there is something; `nil` at the end.
    private func next() async -> ([AccessEntry], lost: Int)? {
        while true {
            let (batch, hasEnded) = state.withLock { state in
                defer { (state.entries, state.untold) = ([], 0) }
                return ((state.entries, state.untold), state.hasEnded)
            }
            if !batch.0.isEmpty { return batch }
            guard !hasEnded else { return nil }
            await wait()
            gather()
        }
    }

    /// Lets some more entries come, so that a busy server wakes the writer a few hundred times a second and not for each
    /// request.
    private func gather() {
        guard !state.withLock({ $0.hasEnded }) else { return }
        usleep(Self.gatheringMicroseconds)
    }

    private func wait() async {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                guard state.entries.isEmpty && !state.hasEnded else { return true }
                state.writer = continuation
                return false
            }
            if isReady { continuation.resume() }
        }
    }
}
