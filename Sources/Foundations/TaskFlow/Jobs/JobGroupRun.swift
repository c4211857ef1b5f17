/// One run of a group of jobs.
struct JobGroupRun<Output: Sendable> {
    private typealias Finished = (index: Int, result: Result<Output, any Error>)
    private typealias Children = TaskGroup<Finished>

    private let jobs: [Job<Output>]
    private let width: Int
    private let errors: JobGroupErrorPolicy
    private var nextIndex = 0
    private var outcomes: [Output?]
    /// In the order in which they came.
    private var failures: [JobGroupErrors.Failure] = []

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

    /// Also when cancelled: the job then ends at once with `CancellationError`.
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
        throw JobGroupErrors(failures: failures.sorted { $0.index < $1.index }, jobCount: jobs.count)
    }
}
