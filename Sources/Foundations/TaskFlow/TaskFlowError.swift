/// An error of TaskFlow itself.
///
/// Errors of your own work pass through unchanged, and cancellation stays `CancellationError`. In a `catch` or a
/// `switch`, a code matches its errors: `catch TaskFlowError.Code.deadlineExceeded`.
public struct TaskFlowError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The stable name.
        public let description: String

        /// An operation ran out of time.
        public static let deadlineExceeded = Code(description: "deadline_exceeded")
        /// A task was started in a scope that had been cancelled or had ended.
        public static let scopeEnded = Code(description: "scope_ended")
        /// A controller or callback was dropped before it was finished, so its work will never have an outcome.
        ///
        /// The mistake is in the code that received the controller: on some path it neither finishes it nor
        /// holds it.
        public static let jobAbandoned = Code(description: "job_abandoned")
        /// Jobs of a group that collects every error failed.
        public static let jobsFailed = Code(description: "jobs_failed")
        /// The system refused to create a thread.
        public static let threadNotStarted = Code(description: "thread_not_started")

        /// Returns whether `error` is a `TaskFlowError` with this code.
        public static func ~= (code: Code, error: any Error) -> Bool {
            (error as? TaskFlowError)?.code == code
        }
    }

    /// The error of one job in a group.
    public struct JobFailure: Sendable {
        /// The position of the job in the group, from zero.
        public let index: Int
        /// What it threw.
        public let error: any Error
    }

    /// What went wrong.
    public let code: Code
    /// A readable description.
    public let message: String
    /// The location of the job or the call in the source; `nil` unless a job was abandoned.
    public private(set) var location: CodeLocation?
    /// The errors of a group in the order of their jobs; empty unless jobs of a group failed.
    public private(set) var failures: [JobFailure] = []
    /// How many jobs the group had; 0 unless jobs of a group failed.
    public private(set) var jobCount = 0
    /// The error number of the system call that failed; 0 if none did.
    public private(set) var systemCode: Int32 = 0

    private init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }

    /// Whether code and message are equal.
    public static func == (lhs: TaskFlowError, rhs: TaskFlowError) -> Bool {
        lhs.code == rhs.code && lhs.message == rhs.message
    }

    /// Hashes code and message.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(message)
    }
}

extension TaskFlowError {
    /// An operation ran out of time.
    public static let deadlineExceeded = TaskFlowError(
        .deadlineExceeded,
        "the operation did not finish before its deadline"
    )

    /// A task was started in a scope that had been cancelled or had ended.
    public static let scopeEnded = TaskFlowError(.scopeEnded, "the scope that owns this work has ended")

    /// Creates the error of a controller that was dropped before it was finished.
    ///
    /// - Parameter location: The location of the job or the call in the source.
    /// - Returns: An error with the code ``Code/jobAbandoned``.
    public static func jobAbandoned(at location: CodeLocation) -> TaskFlowError {
        var error = TaskFlowError(
            .jobAbandoned,
            "the controller of the work at \(location) was released without finish() or fail(with:)"
        )
        error.location = location
        return error
    }

    static func jobsFailed(_ failures: [JobFailure], of jobCount: Int) -> TaskFlowError {
        let reasons = failures.map { "[\($0.index)] \($0.error)" }.joined(separator: "; ")
        var error = TaskFlowError(.jobsFailed, "\(failures.count) of \(jobCount) jobs failed: \(reasons)")
        error.failures = failures
        error.jobCount = jobCount
        return error
    }

    static func threadNotStarted(_ status: Int32) -> TaskFlowError {
        var error = TaskFlowError(.threadNotStarted, "no thread could be created (error \(status))")
        error.systemCode = status
        return error
    }
}
