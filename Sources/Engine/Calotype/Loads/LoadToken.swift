public import CalotypeCore
public import Dispatch
import TaskFlow

/// A handle on a load that a callback waits for; releasing it does not cancel the load.
public final class LoadToken: Sendable {
    private let task: ScopedTask?

    init(_ task: ScopedTask?) {
        self.task = task
    }

    /// Cancels the load, unless other callers share it; the callback then receives `CancellationError`.
    ///
    /// Has no effect after the end.
    public func cancel() {
        task?.cancel()
    }
}

extension ImagePipeline {
    /// Loads the rendition for `request` and calls `completion`, for code without async functions.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - queue: The queue that runs the callback, the main queue by default.
    ///   - completion: Called exactly once, and never before this method returns, with the rendition, a
    ///     `CalotypeError` or `CancellationError`.
    /// - Returns: A handle to cancel the load.
    @discardableResult
    public func load(
        _ request: ImageRequest,
        on queue: DispatchQueue = .main,
        completion: @escaping @Sendable (Result<Rendition, any Error>) -> Void
    ) -> LoadToken {
        let executor = QueueExecutor(queue)
        do {
            let task = try scope.start(name: "load", priority: request.priority.taskPriority) {
                let result: Result<Rendition, any Error>
                do { result = .success(try await self.rendition(for: request)) } catch {
                    result = .failure(error)
                }
                executor.call { completion(result) }
            }
            return LoadToken(task)
        } catch {
            executor.call { completion(.failure(Self.closedError)) }
            return LoadToken(nil)
        }
    }
}
