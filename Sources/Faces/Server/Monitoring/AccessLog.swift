import CalotypeCore
import CalotypeFiles
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

/// Runs `body` with a log that is written to `path` (`-` for standard output), or with none, and returns when it is written.
///
/// - Throws: what `body` throws; `SystemError` where the file cannot be opened; `ThreadStartError`.
func withAccessLog<Output>(
    _ path: String?,
    _ body: (AccessLog?) async throws -> Output
) async throws -> Output {
    guard let path else { return try await body(nil) }
    return try await withAccessLog(to: try LogOutput(path), body)
}

/// Runs `body` with a log that is written to `output`, and returns when it is written.
func withAccessLog<Output>(
    to output: LogOutput,
    limit: Int = 8_192,
    _ body: (AccessLog) async throws -> Output
) async throws -> Output {
    let log = AccessLog(output, limit: limit)
    return try await withThreadExecutor(name: "access log", threads: 1) { executor in
        try await withTaskScope(ending: .drain) { scope in
            // A cancelled owner still writes what there is: the writer heeds only the end.
            do {
                try scope.start(name: "access log", executor: executor) { await log.run() }
            } catch {
                throw CancellationError()
            }
            defer { log.end() }
            return try await body(log)
        }
    }
}

/// Where a log is written: a file, or standard output, which may be a pipe that nobody reads.
struct LogOutput: Sendable {
    /// What fits into a pipe that is ready, so that a write does not block.
    private static let piece = 4_096
    /// How long a reader that takes nothing is waited for once the log is to end.
    private static let patience = 10

    private let file: OpenFile

    /// Opens the file at `path` to add to it; `-` is standard output.
    init(_ path: String) throws(SystemError) {
        file =
            path == "-"
            ? OpenFile(descriptor: STDOUT_FILENO, isOwned: false)
            : try OpenFile(path, O_WRONLY | O_CREAT | O_APPEND)
    }

    /// Writes to `file`.
    init(_ file: OpenFile) {
        self.file = file
    }

    /// Writes `bytes`, and waits for a slow reader; one that takes nothing more loses them when `hasEnded`, one that has gone
    /// at once.
    func write(_ bytes: [UInt8], hasEnded: () -> Bool) {
        var (done, waits) = (0, 0)
        while done < bytes.count {
            guard isReady else {
                waits += 1
                if hasEnded(), waits > Self.patience { return }
                continue
            }
            let piece = Array(bytes[done..<min(done + Self.piece, bytes.count)])
            // Nobody reads: what is told now is lost, as is what comes.
            do { try file.write(piece) } catch { return }
            (done, waits) = (done + piece.count, 0)
        }
    }

    /// Whether a piece can be written; waits a tenth of a second for that.
    private var isReady: Bool {
        var entry = pollfd(fd: file.descriptor, events: Int16(POLLOUT), revents: 0)
        return unsafe poll(&entry, 1, 100) != 0
    }
}
