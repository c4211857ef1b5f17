public import Dispatch

extension Job {
    /// Starts a run for code without async, and calls back when all of it has ended.
    ///
    /// The run goes on until its end even if nobody keeps the token. What the job does between its suspensions runs on
    /// `queue`; a sequence keeps its order on a concurrent queue too.
    ///
    /// - Parameters:
    ///   - queue: Where the job and the callback run; a global one unless given.
    ///   - scope: Who awaits the run: the end of the scope cancels it and waits for the callback. The run owns itself when `nil`.
    ///   - completion: Called exactly once, on `queue`, never from within this call. It gets `TaskScopeEnded` when the
    ///     scope takes no more work.
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
            // Owner: itself. It ends with its job, which is structured, and its caller learns of the end by the callback.
            return JobToken(Task(executorPreference: executor, operation: work))
        }
        do throws(TaskScopeEnded) {
            return JobToken(try scope.start(executor: executor, operation: work).task)
        } catch {
            executor.call { completion(.failure(error)) }
            return JobToken(nil)
        }
    }

    private func result() async -> Result<Output, any Error> {
        do { return .success(try await run()) } catch { return .failure(error) }
    }

    /// A block of its own, so that the callback runs outside the task, and waits for it, so that the owner does.
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

/// A handle on a run of a job that was started from callback code.
///
/// Letting go of it changes nothing: the run goes on.
public struct JobToken: Sendable {
    private let task: Task<Void, Never>?

    init(_ task: Task<Void, Never>?) {
        self.task = task
    }

    /// Whether the run has been cancelled; true as soon as `cancel()` was called.
    public var isCancelled: Bool { task?.isCancelled ?? false }

    /// Cancels the run; the callback still comes, when all has ended.
    ///
    /// A second call changes nothing, and neither does one after the end.
    public func cancel() {
        task?.cancel()
    }
}
