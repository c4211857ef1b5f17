import CalotypeCore
import TaskFlow

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
