import TaskFlow
import TaskFlowTesting

extension ScheduleScenario {
    /// Sequences, groups, retries and limits of jobs that sleep, answer through controllers or let these go.
    static let jobs = ScheduleScenario(
        "jobs of jobs end when and as arithmetic says",
        reaches: ["outputs", "failed", "abandoned", "cancelled", "timed out", "many errors"],
        program: { random in
            var maker = JobTreeMaker(unit: 1)
            return (0..<random.number(1...2)).map { _ in maker.run(&random) }
        },
        run: { try await JobTrial(isExact: true).run($0) }
    )

    /// Much happens at the same moment here, so an outcome may depend on the order; nothing may be left behind.
    static let crossingJobs = ScheduleScenario(
        "jobs of jobs end once and leave nothing behind when all happens at once",
        reaches: [
            "outputs", "failed", "cancelled", "timed out", "many errors", "cancelled before it starts",
        ],
        program: { random in
            var maker = JobTreeMaker(unit: 500_000_000)
            return (0..<random.number(1...2)).map { _ in maker.run(&random) }
        },
        run: { try await JobTrial(isExact: false).run($0) }
    )
}

/// Runs jobs at the same time and compares each with its forecast.
final class JobTrial: Sendable {
    private struct LeafFailed: Error {
        let id: Int
    }

    private let isExact: Bool
    private let start = ContinuousClock.now
    private let findings = Findings()
    /// The leaves that run.
    private let running = Guarded<[Int: Int]>([:])

    init(isExact: Bool) {
        self.isExact = isExact
    }

    func run(_ runs: [JobRun]) async throws {
        let tasks = runs.map { run in
            let party = findings.start("run") { await self.run(run) }
            if let cancelAt = run.cancelAt {
                _ = Task(name: "cancel") {
                    if cancelAt > 0 { try await Task.sleep(for: .nanoseconds(cancelAt)) }
                    party.cancel()
                }
            }
            return party
        }
        try await findings.wait(for: tasks)
        // Whatever answers late has answered then.
        try await Task.sleep(for: .seconds(100))
        findings.expect(running.withLock(\.isEmpty), "jobs still run after the end")
        try findings.check()
    }

    private func run(_ run: JobRun) async {
        if Task.isCancelled { sometimes("cancelled before it starts") }
        let outcome: JobForecast.Outcome
        do { outcome = .outputs(try await job(run.tree).run()) } catch { outcome = Self.outcome(of: error) }
        let leaves = run.tree.leaves
        let left = running.withLock { $0.filter { $0.value > 0 && leaves.contains($0.key) } }
        findings.expect(left.isEmpty, "the run has ended, and of its jobs still run \(left.keys.sorted())")
        scheduleNote("ended at \(now): \(outcome)")
        Self.count(outcome)
        let forecast = JobForecast(run.tree, from: 0, cancelAt: run.cancelAt ?? .max)
        if isExact {
            findings.expect(
                forecast.end == now && forecast.outcome == outcome,
                "ended at \(now) with \(outcome), not at \(forecast.end) with \(forecast.outcome)"
            )
        } else if run.cancelAt == nil, run.tree.isBenign {
            findings.expect(outcome == .outputs(leaves), "ended with \(outcome)")
        }
    }

    private var now: Int {
        let (seconds, attoseconds) = (ContinuousClock.now - start).components
        return Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
    }

    private func job(_ tree: JobTree) -> Job<[Int]> {
        switch tree {
        case .leaf(let leaf): job(leaf)
        case .sequence(let jobs): Job.sequence(jobs.map { self.job($0) }).map { $0.flatMap(\.self) }
        case .group(let jobs, let width, let needsAll):
            Job.group(jobs.map { self.job($0) }, width: width, errors: needsAll ? .all : .first).map {
                $0.flatMap(\.self)
            }
        case .retrying(let inner, let attempts, let pause, let budget):
            job(inner).retrying(
                RetryPolicy(
                    maximumAttempts: attempts,
                    baseDelay: .nanoseconds(pause),
                    maximumDelay: .seconds(1_000),
                    budget: budget.map { .nanoseconds($0) }
                ),
                random: \.self
            )
        case .timeout(let inner, let time): job(inner).timeout(.nanoseconds(time))
        case .deadline(let inner, let time):
            Job { [self] in
                try await withDeadline(.now + .nanoseconds(time)) { try await self.job(inner).run() }
            }
        }
    }

    private func job(_ leaf: JobLeaf) -> Job<[Int]> {
        guard leaf.kind == .sleeps else {
            return Job(of: [Int].self) { [self] controller in answer(leaf, controller) }
        }
        return Job { [self] in
            let fails = now < leaf.failsUntil
            count(leaf, 1)
            defer { count(leaf, -1) }
            if leaf.obeys {
                try await Task.sleep(for: .nanoseconds(leaf.duration))
            } else {
                try await Task { try await Task.sleep(for: .nanoseconds(leaf.duration)) }.value
            }
            if fails { throw LeafFailed(id: leaf.id) }
            return [leaf.id]
        }
    }

    private func answer(_ leaf: JobLeaf, _ controller: JobController<[Int]>) {
        let fails = now < leaf.failsUntil
        count(leaf, 1)
        let end = Guarded(false)
        let ends: @Sendable () -> Void = { [self] in
            let isFirst = end.withLock { end in
                defer { end = true }
                return !end
            }
            if isFirst { count(leaf, -1) }
        }
        if leaf.obeys {
            controller.onCancel { controller in
                ends()
                controller.fail(with: CancellationError())
            }
        }
        _ = Task(name: "answer \(leaf.id)") {
            try await Task.sleep(for: .nanoseconds(leaf.duration))
            ends()
            if leaf.kind == .abandons { return }
            controller.finish(with: fails ? .failure(LeafFailed(id: leaf.id)) : .success([leaf.id]))
        }
    }

    private func count(_ leaf: JobLeaf, _ change: Int) {
        scheduleNote("leaf \(leaf.id) \(change > 0 ? "starts" : "ends") at \(now)")
        running.withLock { running in
            running[leaf.id, default: 0] += change
            if running[leaf.id] == 0 { running[leaf.id] = nil }
        }
    }

    private static func outcome(of error: any Error) -> JobForecast.Outcome {
        switch error {
        case let failure as LeafFailed: .failed(failure.id)
        case TaskFlowError.Code.jobAbandoned: .abandoned
        case TaskFlowError.Code.deadlineExceeded: .timedOut
        case let group as TaskFlowError where group.code == .jobsFailed:
            .many(Dictionary(uniqueKeysWithValues: group.failures.map { ($0.index, outcome(of: $0.error)) }))
        default: .cancelled
        }
    }

    private static func count(_ outcome: JobForecast.Outcome) {
        switch outcome {
        case .outputs: sometimes("outputs")
        case .failed: sometimes("failed")
        case .abandoned: sometimes("abandoned")
        case .cancelled: sometimes("cancelled")
        case .timedOut: sometimes("timed out")
        case .many: sometimes("many errors")
        }
    }
}
