public import CalotypeCore
public import Dispatch
import TaskFlow

/// A handle on a load that a callback waits for; dropping it leaves the load alone.
public final class LoadToken: Sendable {
    private let task: ScopedTask?

    init(_ task: ScopedTask?) {
        self.task = task
    }

    /// Stops the load, unless somebody else wants the same; the callback is then given `CancellationError`.
    ///
    /// A second call, or one after the end, changes nothing.
    public func cancel() {
        task?.cancel()
    }
}

extension ImagePipeline {
    /// Loads the rendition that `request` asks for and calls back: for code that is not asynchronous.
    ///
    /// - Parameters:
    ///   - request: what is wanted.
    ///   - queue: where the callback runs; the main queue unless given.
    ///   - completion: called exactly once, never before this returns: with the rendition, `CalotypeError` or
    ///     `CancellationError`.
    /// - Returns: a handle to cancel the load.
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
