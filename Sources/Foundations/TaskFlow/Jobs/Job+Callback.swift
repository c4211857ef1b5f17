public import Dispatch

extension Job {
    /// Starts a run for code without async, and calls back when all of it has ended.
    ///
    /// The run continues to its end even if nothing holds the token. What the job does between its
    /// suspensions runs on `queue`; a sequence keeps its order on a concurrent queue too.
    ///
    /// - Parameters:
    ///   - queue: Where the job and the callback run; by default a global queue.
    ///   - scope: The scope that awaits the run: its end cancels the run and waits for the callback. The run
    ///     owns itself when `nil`.
    ///   - completion: Called exactly once, on `queue`, never from within this call. It receives
    ///     `scope_ended` if the scope takes no more work.
    /// - Returns: A token that cancels the run.
    @discardableResult
    public func perform(
        on queue: DispatchQueue = .global(),
        in scope: TaskScope? = nil,
        then completion: @escaping @Sendable (Result<Output, any Error>) -> Void
    ) -> JobToken {
        let executor = QueueExecutor(queue)
        let work: @Sendable () async -> Void = {
            await call(completion, with: await result(), on: executor)
        }
        guard let scope else {
            // Owner: itself. It ends with its job, which is structured, and its caller learns of the end from
            // the callback.
            return JobToken(Task(executorPreference: executor, operation: work))
        }
        do throws(TaskFlowError) {
            return JobToken(try scope.start(executor: executor, operation: work).task)
        } catch {
            executor.call { completion(.failure(error)) }
            return JobToken(nil)
        }
    }

    private func result() async -> Result<Output, any Error> {
        do { return .success(try await run()) } catch { return .failure(error) }
    }

    /// Calls back in a separate block, so that it runs outside the task.
    ///
    /// Waits for it, so that the owner does too.
    private func call(
        _ completion: @escaping @Sendable (Result<Output, any Error>) -> Void,
        with result: Result<Output, any Error>,
        on executor: QueueExecutor
    ) async {
        await withCheckedContinuation { continuation in
            executor.call {
                completion(result)
                continuation.resume()
            }
        }
    }
}

/// A handle on a run of a job that callback code started.
///
/// Dropping it changes nothing: the run continues.
public struct JobToken: Sendable {
    private let task: Task<Void, Never>?

    init(_ task: Task<Void, Never>?) {
        self.task = task
    }

    /// Whether the run has been cancelled; true as soon as `cancel()` was called.
    public var isCancelled: Bool { task?.isCancelled ?? false }

    /// Cancels the run; the callback is still called, when everything has ended.
    ///
    /// A second call, or a call after the end, does nothing.
    public func cancel() {
        task?.cancel()
    }
}
