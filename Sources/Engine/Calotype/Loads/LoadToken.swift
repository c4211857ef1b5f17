import CalotypeCore
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
