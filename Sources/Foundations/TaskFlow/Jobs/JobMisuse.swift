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
