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
