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

/// A controller or callback was let go before it had been finished, so the outcome of its work will never come.
///
/// The mistake is in the code that was given the controller: on some path it neither finishes it nor keeps it.
public struct JobAbandoned: Error, Hashable, Sendable, CustomStringConvertible {
    /// Where the job or the call was written.
    public let location: CodeLocation

    /// Creates the error.
    public init(location: CodeLocation) {
        self.location = location
    }

    /// What happened, for people.
    public var description: String {
        "the controller of the work at \(location) was let go before it was finished or failed"
    }
}

/// A controller was finished a second time; the first outcome stands.
///
/// This is a mistake of the code that was given the controller. It is reported and otherwise has no effect: a program in
/// use goes on. A second call after a cancellation is no mistake, because the two may cross, and is not reported.
public struct JobMisuse: Hashable, Sendable, CustomStringConvertible {
    /// What receives reports of misuse.
    ///
    /// A type of its own, because optimised builds of Swift 6.3.1 crash where a closure is bound as a task-local value
    /// around an `await`.
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
    /// By default a debug build stops, as with `assertionFailure`, and a release build
    /// continues.
    ///
    /// A controller reports to the handler that its job saw when it started, whichever thread the second call comes on.
    @TaskLocal public static var handler = Handler { misuse in assertionFailure(misuse.description) }

    /// Where the job or the call was written.
    public let location: CodeLocation

    /// What happened, for people.
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
