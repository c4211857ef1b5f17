/// Ends one piece of work whose outcome arrives through a callback, exactly once.
///
/// Hold it until the outcome is known, then call `finish` or `fail(with:)`, on any thread. The first call
/// decides; a second one is reported to `JobMisuse.handler` and ignored. A controller that is dropped before
/// either call ends the work with `job_abandoned`, so a callback that is never called cannot hang a job,
/// provided that its holder drops it.
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
    /// If the work stopped because of a cancellation, pass `CancellationError`.
    public func fail(with error: any Error) {
        core.finish(.failure(error))
    }

    /// Ends the work with the outcome from a callback.
    public func finish(with result: Result<Output, any Error>) {
        core.finish(result)
    }

    /// Calls `handler` when the waiting task is cancelled, or immediately if it has been cancelled.
    ///
    /// The cancelling thread calls the handler, at most once; the handler is dropped when the work ends. The
    /// work continues until the controller is finished. The handler receives the controller and must not
    /// capture it: that would keep the controller alive, and its end is what reports an abandoned job.
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

/// A report that a controller was finished a second time.
///
/// The first outcome stands.
///
/// It is a mistake in the code that received the controller, and has no other effect: a program in use
/// continues. A second call after a cancellation is not a mistake, because the two may cross, and is not
/// reported.
public struct JobMisuse: Hashable, Sendable, CustomStringConvertible {
    /// The receiver of misuse reports.
    ///
    /// A type rather than a closure, because optimised builds of Swift 6.3.1 crash if a closure is bound as a
    /// task-local value around an `await`.
    public struct Handler: Sendable {
        private let report: @Sendable (JobMisuse) -> Void

        /// Creates a handler that calls `report` for each misuse, on any thread.
        public init(_ report: @escaping @Sendable (JobMisuse) -> Void) {
            self.report = report
        }

        func callAsFunction(_ misuse: JobMisuse) {
            report(misuse)
        }
    }

    /// Receives reports of misuse.
    ///
    /// By default a debug build stops, as with `assertionFailure`, and a release build continues.
    ///
    /// A controller reports to the handler that its job saw when it started, on whichever thread the second
    /// call happens.
    @TaskLocal public static var handler = Handler { misuse in assertionFailure(misuse.description) }

    /// The location of the job or the call in the source.
    public let location: CodeLocation

    /// A readable description.
    public var description: String { "the controller of the work at \(location) was finished twice" }
}

/// A place in source code, for messages to its author.
public struct CodeLocation: Hashable, Sendable, CustomStringConvertible {
    /// The module and the file, as in `#fileID`.
    public let fileID: String
    /// The line, from one.
    public let line: Int

    /// Creates a location.
    public init(fileID: String, line: Int) {
        self.fileID = fileID
        self.line = line
    }

    /// The file and the line.
    public var description: String { "\(fileID):\(line)" }
}
