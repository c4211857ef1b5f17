import CalotypeCore
import CalotypeFiles
internal import TaskFlow

/// The metrics of a run in a file, in the text format of Prometheus, for node_exporter's textfile collector.
///
/// The file is replaced as a whole every few seconds.
final class MetricsFile: Sendable {
    private static let interval = Duration.seconds(5)

    private struct State {
        var last: Duration?
        var hasWarned = false
    }

    private let path: String
    private let executor: ThreadExecutor
    private let state = Guarded(State())

    init(path: String, executor: ThreadExecutor) {
        self.path = path
        self.executor = executor
    }

    /// Writes the metrics of a run that begins.
    ///
    /// - Throws: ``BulkError`` if the file cannot be written.
    func begin() async throws {
        if let problem = await write(FetchProgress()) { throw BulkError(problem) }
    }

    /// Writes the metrics if it is time; returns what went wrong, the first time.
    func update(_ progress: FetchProgress) async -> String? {
        let isDue = state.withLock { state in
            let isDue = state.last.map { progress.elapsed - $0 >= Self.interval } ?? true
            if isDue { state.last = progress.elapsed }
            return isDue
        }
        return isDue ? await write(progress) : nil
    }

    /// Writes the metrics; returns what went wrong, the first time.
    func write(_ progress: FetchProgress) async -> String? {
        let (bytes, path) = (Array(Self.text(progress).utf8), path)
        do {
            try await executor.run { try AtomicFile.write(bytes, to: path) }
            return nil
        } catch {
            let isFirst = state.withLock { state in
                defer { state.hasWarned = true }
                return !state.hasWarned
            }
            return isFirst ? "the metrics \(path) cannot be written: \(error)" : nil
        }
    }

    /// Returns the metrics; their labels are codes, never what an outsider says.
    static func text(_ progress: FetchProgress) -> String {
        var text = PrometheusText(namespace: "calotype_dataset")
        text.metric("images_total", .counter, "Images by outcome; skipped ones are of an earlier run.")
        let outcomes = [
            ("success", progress.succeeded), ("failed", progress.failed), ("skipped", progress.skipped),
        ]
        for (outcome, count) in outcomes { text.sample("images_total", "outcome=\"\(outcome)\"", count) }
        text.metric("failures_total", .counter, "Failed images by error code.")
        for (code, count) in progress.failures.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            text.sample("failures_total", "code=\"\(code)\"", count)
        }
        let gauges: [(name: String, help: String, value: Double?)] = [
            (
                "entries", "Entries of the list, as far as known; an estimate until it has been read.",
                progress.total.map(Double.init)
            ),
            ("active", "Images in progress.", Double(progress.active)),
            ("elapsed_seconds", "Time since the start of the run.", progress.elapsed.inSeconds),
            ("remaining_seconds", "Estimated time to the end of the run.", progress.remaining?.inSeconds),
        ]
        for (name, help, value) in gauges {
            if let value { text.single(name, .gauge, help, value) }
        }
        text.single("received_bytes_total", .counter, "Bytes received from sources.", progress.bytesIn.bytes)
        text.single("written_bytes_total", .counter, "Bytes of images written.", progress.bytesOut.bytes)
        return text.text
    }
}
