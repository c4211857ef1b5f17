/// Calls code that answers through a callback, and waits for the answer.
///
/// ```swift
/// let picture = try await withCallback(of: Picture.self) { callback in
///     let request = loader.load(url) { result in callback.finish(with: result) }
///     callback.onCancel { _ in request.cancel() }
/// }
/// ```
///
/// The call ends exactly once, whether the answer comes before `start` returns, on another thread or together with a
/// cancellation. A second answer is reported to `JobMisuse.handler` and ignored.
///
/// - Parameters:
///   - output: What the callback brings; `Void.self` if nothing.
///   - cancellation: What a cancelled task does; it waits for the callback, then throws, unless told otherwise.
///   - fileID: The file that messages about misuse name.
///   - line: The line that they name.
///   - start: Starts the work and returns without waiting. Not called when the task is cancelled already.
/// - Returns: What the callback brought.
/// - Throws: what the controller was failed with; `JobAbandoned` when it was let go before an answer;
///   `CancellationError` when the task was cancelled, as `cancellation` says.
public func withCallback<Output: Sendable>(
    of output: Output.Type = Output.self,
    cancellation: CallbackCancellation = .throwsAfterCallback,
    fileID: String = #fileID,
    line: Int = #line,
    _ start: (JobController<Output>) -> Void
) async throws -> Output {
    try Task.checkCancellation()
    let core = ControllerCore<Output>(cancellation, location: CodeLocation(fileID: fileID, line: line))
    return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
            if let controller = core.begin(continuation) { start(controller) }
        }
    } onCancel: {
        core.cancel()
    }
}
