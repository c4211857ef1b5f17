/// Ends one piece of work whose outcome comes through a callback, exactly once.
///
/// Keep it until the outcome is known, then call `finish` or `fail(with:)`, on whatever thread. The first call decides;
/// a second one is reported to `JobMisuse.handler` and ignored. A controller that is let go before either
/// call ends the work with `JobAbandoned`, so a callback that never comes cannot hang a job, provided that whoever held
/// it lets go of it.
public final class JobController<Output: Sendable>: Sendable {
    private let core: ControllerCore<Output>

    init(core: ControllerCore<Output>) {
        self.core = core
    }

    deinit {
        core.abandon()
    }

    /// Whether the task that waits for the outcome has been cancelled.
    public var isCancelled: Bool { core.isCancelled }

    /// Ends the work with its output.
    public func finish(_ output: Output) {
        core.finish(.success(output))
    }

    /// Ends the work with an error.
    ///
    /// When the work stopped because of a cancellation, that is `CancellationError`.
    public func fail(with error: any Error) {
        core.finish(.failure(error))
    }

    /// Ends the work with the outcome that a callback brought.
    public func finish(with result: Result<Output, any Error>) {
        core.finish(result)
    }

    /// Calls `handler` when the task that waits for the outcome is cancelled, at once if that was before.
    ///
    /// It is called on the cancelling thread, at most once, and let go when the work ends. The work goes on until the
    /// controller is finished. The handler is given the controller; it must not capture it, because it would then keep
    /// the controller alive whose end tells that it was abandoned.
    public func onCancel(_ handler: @escaping @Sendable (JobController) -> Void) {
        core.onCancel(self, handler)
    }
}

extension JobController<Void> {
    /// Ends the work, which has no output.
    public func finish() {
        finish(())
    }
}
