import CalotypeCore
import CalotypeFiles
internal import CalotypePlatform
import TaskFlow

/// Passes entries from request handlers, which never wait, to a writer, which may have to wait.
///
/// Entries that do not fit are dropped and counted; the next line to be written reports how many were lost
/// before it.
final class AccessLog: Sendable {
    private struct State {
        var lines: [LogLine] = []
        var dropped = 0
        /// The number of ``dropped`` entries that no line has reported yet.
        var untold = 0
        var hasEnded = false
        var writer: CheckedContinuation<Void, Never>?
    }

    private static let gatheringMicroseconds: UInt32 = 4_000

    /// The maximum number of entries that wait to be written.
    private let limit: Int
    private let output: LogOutput
    private let state = Guarded(State())

    /// Creates a log that holds up to `limit` entries for its writer.
    init(_ output: LogOutput, limit: Int = 8_192) {
        self.output = output
        self.limit = limit
    }

    /// The number of entries lost so far.
    var droppedCount: Int { state.withLock { $0.dropped } }

    /// Adds an entry, or counts it as lost.
    func add(_ entry: AccessEntry) {
        add(.entry(entry))
    }

    /// Adds a line, or counts it as lost.
    func add(_ line: LogLine) {
        let writer = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.lines.count < limit else {
                state.dropped += 1
                state.untold += 1
                return nil
            }
            state.lines.append(line)
            defer { state.writer = nil }
            return state.writer
        }
        writer?.resume()
    }

    /// Lets the writer write the remaining entries and end.
    func end() {
        let writer = state.withLock { state in
            state.hasEnded = true
            defer { state.writer = nil }
            return state.writer
        }
        writer?.resume()
    }

    /// Writes entries until the end; blocks its thread.
    @concurrent
    func run() async {
        var text = LogText()
        while let (lines, lost) = await next() {
            text.clear()
            if lost > 0 { text.add("{\"lost_entries\":\(lost)}\n") }
            for line in lines { text.add(line) }
            output.write(text.bytes) { self.state.withLock { $0.hasEnded } }
        }
    }

    /// Waits for lines and returns them; `nil` at the end.
    private func next() async -> ([LogLine], lost: Int)? {
        while true {
            let (batch, hasEnded) = state.withLock { state in
                defer { (state.lines, state.untold) = ([], 0) }
                return ((state.lines, state.untold), state.hasEnded)
            }
            if !batch.0.isEmpty { return batch }
            guard !hasEnded else { return nil }
            await wait()
            gather()
        }
    }

    /// Waits for more entries.
    ///
    /// A busy server then wakes the writer a few hundred times a second, and not for each request.
    private func gather() {
        guard !state.withLock({ $0.hasEnded }) else { return }
        usleep(Self.gatheringMicroseconds)
    }

    private func wait() async {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                guard state.lines.isEmpty && !state.hasEnded else { return true }
                state.writer = continuation
                return false
            }
            if isReady { continuation.resume() }
        }
    }
}

/// Runs `body` with a log that is written to `path`, or without a log, and returns when it has been written.
///
/// The path `-` is standard output.
///
/// - Throws: Any error from `body`; `SystemError` if the file cannot be opened; `thread_not_started`.
func withAccessLog<Output>(
    _ path: String?,
    _ body: (AccessLog?) async throws -> Output
) async throws -> Output {
    guard let path else { return try await body(nil) }
    return try await withAccessLog(to: try LogOutput(path), body)
}

/// Runs `body` with a log that is written to `output`, and returns when it has been written.
func withAccessLog<Output>(
    to output: LogOutput,
    limit: Int = 8_192,
    _ body: (AccessLog) async throws -> Output
) async throws -> Output {
    let log = AccessLog(output, limit: limit)
    return try await withThreadExecutor(name: "access log", threads: 1) { executor in
        try await withTaskScope(ending: .drain) { scope in
            // After a cancellation the log is still written: the writer reacts only to the end.
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

/// The destination of a log: a file, or standard output, which may be a pipe that nobody reads.
struct LogOutput: Sendable {
    /// The number of bytes that fit into a pipe that is ready, so that a write does not block.
    private static let piece = 4_096
    /// How many times to wait for a stalled reader after the log has ended.
    private static let patience = 10

    private let file: OpenFile

    /// Opens the file at `path` for appending; `-` is standard output.
    init(_ path: String) throws(SystemError) {
        file =
            path == "-"
            ? OpenFile(descriptor: STDOUT_FILENO, isOwned: false)
            : try OpenFile(path, O_WRONLY | O_CREAT | O_APPEND)
    }

    /// Creates an output that writes to `file`.
    init(_ file: OpenFile) {
        self.file = file
    }

    /// Writes `bytes`, and waits for a slow reader.
    ///
    /// A reader that has stalled loses the bytes once `hasEnded` is true. A reader that has closed the pipe
    /// loses them immediately.
    func write(_ bytes: [UInt8], hasEnded: () -> Bool) {
        var (done, waits) = (0, 0)
        while done < bytes.count {
            guard isReady else {
                waits += 1
                if hasEnded(), waits > Self.patience { return }
                continue
            }
            let piece = Array(bytes[done..<min(done + Self.piece, bytes.count)])
            // Nobody reads any more: these bytes and all later ones are lost.
            do { try file.write(piece) } catch { return }
            (done, waits) = (done + piece.count, 0)
        }
    }

    /// Whether a piece can be written; waits up to a tenth of a second.
    private var isReady: Bool {
        var entry = pollfd(fd: file.descriptor, events: Int16(POLLOUT), revents: 0)
        return unsafe poll(&entry, 1, 100) != 0
    }
}
