/// When a job ends and how, found by arithmetic alone; right as long as no two things happen at the same moment.
struct JobForecast: Equatable {
    indirect enum Outcome: Equatable {
        case outputs([Int])
        case failed(Int)
        case abandoned
        case cancelled
        case timedOut
        /// The errors of a group, by the places of the jobs.
        case many([Int: Outcome])

        var isFailure: Bool { if case .outputs = self { false } else { true } }
    }

    let end: Int
    let outcome: Outcome

    private init(_ end: Int, _ outcome: Outcome) {
        self.end = end
        self.outcome = outcome
    }

    /// The run of a job that starts and is cancelled at these moments.
    init(_ tree: JobTree, from start: Int, cancelAt cancel: Int) {
        guard cancel > start else {
            self.init(start, .cancelled)
            return
        }
        switch tree {
        case .leaf(let leaf): self.init(leaf, start, cancel)
        case .sequence(let jobs): self.init(sequence: jobs, start, cancel)
        case .group(let jobs, let width, let needsAll):
            var group = JobGroupForecast(
                jobs,
                width: width,
                needsAll: needsAll,
                from: start,
                cancelAt: cancel
            )
            let (end, outcome) = group.run()
            self.init(end, outcome)
        case .retrying(let job, let attempts, let pause, let budget):
            self.init(retrying: job, attempts, pause, budget, start, cancel)
        case .timeout(let job, let time), .deadline(let job, let time):
            self.init(limited: job, to: time, start, cancel)
        }
    }

    private init(_ leaf: JobLeaf, _ start: Int, _ cancel: Int) {
        let end = start + leaf.duration
        if leaf.obeys, cancel < end {
            self.init(cancel, .cancelled)
        } else if leaf.kind == .abandons {
            self.init(end, cancel < end ? .cancelled : .abandoned)
        } else {
            self.init(end, start < leaf.failsUntil ? .failed(leaf.id) : .outputs([leaf.id]))
        }
    }

    private init(sequence jobs: [JobTree], _ start: Int, _ cancel: Int) {
        var (time, outputs) = (start, [Int]())
        for job in jobs {
            let step = JobForecast(job, from: time, cancelAt: cancel)
            guard case .outputs(let more) = step.outcome else {
                self = step
                return
            }
            time = step.end
            outputs += more
        }
        self.init(time, .outputs(outputs))
    }

    private init(
        retrying job: JobTree,
        _ attempts: Int,
        _ pause: Int,
        _ budget: Int?,
        _ start: Int,
        _ cancel: Int
    ) {
        var (time, pause) = (start, pause)
        for attempt in 1... {
            let step = JobForecast(job, from: time, cancelAt: cancel)
            let isLate = budget.map { step.end - start + pause >= $0 } ?? false
            guard step.outcome.isFailure, step.outcome != .cancelled, attempt < attempts, !isLate else {
                self = step
                return
            }
            time = step.end + pause
            if cancel <= time {
                self.init(max(cancel, step.end), .cancelled)
                return
            }
            pause *= 2
        }
        self.init(time, .cancelled)
    }

    private init(limited job: JobTree, to limit: Int, _ start: Int, _ cancel: Int) {
        guard limit > 0 else {
            self.init(start, .timedOut)
            return
        }
        let unlimited = JobForecast(job, from: start, cancelAt: cancel)
        guard unlimited.end > start + limit, cancel > start + limit else {
            self = unlimited
            return
        }
        self.init(JobForecast(job, from: start, cancelAt: start + limit).end, .timedOut)
    }
}

/// When the jobs of a group end.
struct JobGroupForecast {
    private let jobs: [JobTree]
    private let needsAll: Bool
    private let width: Int
    private var time: Int
    /// When its jobs are cancelled, which their errors may change.
    private var cancel: Int
    private let cancelFromOutside: Int
    private var starts: [Int: Int] = [:]
    private var outcomes: [Int: JobForecast.Outcome] = [:]
    private var firstFailure: JobForecast.Outcome?

    init(_ jobs: [JobTree], width: Int?, needsAll: Bool, from start: Int, cancelAt cancel: Int) {
        self.jobs = jobs
        self.needsAll = needsAll
        self.width = width ?? jobs.count
        self.cancel = cancel
        cancelFromOutside = cancel
        time = start
    }

    mutating func run() -> (Int, JobForecast.Outcome) {
        while outcomes.count < starts.count || starts.count < jobs.count && mayStart {
            while starts.count - outcomes.count < width, starts.count < jobs.count, mayStart {
                starts[starts.count] = time
            }
            finishNext()
        }
        return (time, outcome)
    }

    private var mayStart: Bool { needsAll || firstFailure == nil }

    private mutating func finishNext() {
        let running = starts.filter { outcomes[$0.key] == nil }.map { index, start in
            (index, JobForecast(jobs[index], from: start, cancelAt: cancel))
        }
        guard let (index, next) = running.min(by: { ($0.1.end, $0.0) < ($1.1.end, $1.0) }) else { return }
        time = max(time, next.end)
        outcomes[index] = next.outcome
        guard next.outcome.isFailure else { return }
        firstFailure = firstFailure ?? next.outcome
        if !needsAll { cancel = min(cancel, time) }
    }

    private var outcome: JobForecast.Outcome {
        let failures = outcomes.filter(\.value.isFailure)
        if let firstFailure {
            if !needsAll { return firstFailure }
            if cancelFromOutside <= time, failures.values.contains(.cancelled) { return .cancelled }
            return .many(failures)
        }
        let outputs = jobs.indices.flatMap { index -> [Int] in
            if case .outputs(let outputs) = outcomes[index] { outputs } else { [] }
        }
        return .outputs(outputs)
    }
}
