extension Job {
    /// A job that runs others at the same time, and ends when all of them have.
    ///
    /// Cancelling its run cancels them. A group without jobs succeeds.
    ///
    /// - Parameters:
    ///   - jobs: The jobs to run.
    ///   - width: How many run at a time, at least one; all of them when `nil`. They start in order.
    ///   - errors: `.first`, the default, cancels the other jobs at the first error and throws it; `.all`
    ///     lets them continue and throws `jobs_failed`, or `CancellationError` when a cancellation ended
    ///     any.
    /// - Returns: A job whose output is their outputs, in order.
    public static func group<Child: Sendable>(
        _ jobs: [Job<Child>],
        width: Int? = nil,
        errors: JobGroupErrorPolicy = .first
    ) -> Job<[Child]> where Output == [Child] {
        Job<[Child]> {
            var run = JobGroupRun(jobs: jobs, width: width, errors: errors)
            return try await run.outputs()
        }
    }
}

extension Job<Void> {
    /// A job that runs others at the same time, and ends when all of them have.
    ///
    /// Cancelling its run cancels them. A group without jobs succeeds.
    ///
    /// - Parameters:
    ///   - jobs: The jobs to run.
    ///   - width: How many run at a time, at least one; all of them when `nil`. They start in order.
    ///   - errors: `.first`, the default, cancels the other jobs at the first error and throws it; `.all`
    ///     lets them continue and throws `jobs_failed`, or `CancellationError` when a cancellation ended
    ///     any.
    /// - Returns: A job without output.
    public static func group(
        _ jobs: [Job<Void>],
        width: Int? = nil,
        errors: JobGroupErrorPolicy = .first
    ) -> Job<Void> {
        Job<[Void]>.group(jobs, width: width, errors: errors).map { _ in }
    }
}

/// What the error of one job means for the others of its group.
public enum JobGroupErrorPolicy: Hashable, Sendable {
    /// The first error cancels the other jobs, and is the group's error.
    case first
    /// The other jobs continue, and the group's error is `jobs_failed` with all errors.
    case all
}

/// One run of a group of jobs.
struct JobGroupRun<Output: Sendable> {
    private typealias Finished = (index: Int, result: Result<Output, any Error>)
    private typealias Children = TaskGroup<Finished>

    private let jobs: [Job<Output>]
    private let width: Int
    private let errors: JobGroupErrorPolicy
    private var nextIndex = 0
    private var outcomes: [Output?]
    /// The failures in the order in which they occurred.
    private var failures: [TaskFlowError.JobFailure] = []

    init(jobs: [Job<Output>], width: Int?, errors: JobGroupErrorPolicy) {
        self.jobs = jobs
        self.width = max(width ?? jobs.count, 1)
        self.errors = errors
        outcomes = Array(repeating: nil, count: jobs.count)
    }

    /// Runs the jobs, and returns or throws when the last of them has ended.
    mutating func outputs() async throws -> [Output] {
        await runAll()
        switch errors {
        case .first: if let first = failures.first { throw first.error }
        case .all: try throwAll()
        }
        return outcomes.compactMap(\.self)
    }

    private mutating func runAll() async {
        await withTaskGroup(of: Finished.self) { group in
            while nextIndex < min(width, jobs.count) { startNext(in: &group) }
            while let finished = await group.next() {
                keep(finished)
                if isStopped {
                    group.cancelAll()
                } else if nextIndex < jobs.count {
                    startNext(in: &group)
                }
            }
        }
    }

    private var isStopped: Bool { errors == .first && !failures.isEmpty }

    /// Starts the next job, even when cancelled: the job then ends immediately with `CancellationError`.
    private mutating func startNext(in group: inout Children) {
        let index = nextIndex
        let job = jobs[index]
        nextIndex += 1
        group.addTask {
            do { return (index, .success(try await job.run())) } catch { return (index, .failure(error)) }
        }
    }

    private mutating func keep(_ finished: Finished) {
        switch finished.result {
        case .success(let output): outcomes[finished.index] = output
        case .failure(let error): failures.append(.init(index: finished.index, error: error))
        }
    }

    private func throwAll() throws {
        guard !failures.isEmpty else { return }
        if Task.isCancelled && failures.contains(where: { $0.error is CancellationError }) {
            throw CancellationError()
        }
        throw TaskFlowError.jobsFailed(failures.sorted { $0.index < $1.index }, of: jobs.count)
    }
}

extension Job {
    /// A job that runs others one after another, and stops at the first error.
    ///
    /// Cancelling its run cancels the current job and starts none of those after it. A sequence without jobs
    /// succeeds.
    ///
    /// - Parameter jobs: The jobs to run, in this order.
    /// - Returns: A job whose output is their outputs, in order.
    public static func sequence<Child: Sendable>(
        _ jobs: [Job<Child>]
    ) -> Job<[Child]> where Output == [Child] {
        Job<[Child]> {
            var outputs: [Child] = []
            for job in jobs { outputs.append(try await job.run()) }
            return outputs
        }
    }
}

extension Job<Void> {
    /// A job that runs others one after another, and stops at the first error.
    ///
    /// Cancelling its run cancels the current job and starts none of those after it. A sequence without jobs
    /// succeeds.
    ///
    /// - Parameter jobs: The jobs to run, in this order.
    /// - Returns: A job without output.
    public static func sequence(_ jobs: [Job<Void>]) -> Job<Void> {
        Job<Void> {
            for job in jobs { try await job.run() }
        }
    }
}
