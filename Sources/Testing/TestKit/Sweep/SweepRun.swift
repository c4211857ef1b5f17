import CalotypeSamplePictures
import TaskFlow

/// One run of a scenario, driven step by step on the calling thread.
struct SweepRun {
    /// The result of a successful run.
    struct Result {
        let steps: Int
        let usesVictims: Bool
        let wasCut: Bool
    }

    private typealias Outcome = Swift.Result<Void, any Error>

    private let context: SweepContext
    private let cut: SweepCut
    private let maximumSteps: Int
    private let patience: Duration
    private var random: SeededRandom?
    private var steps = 0

    init(_ context: SweepContext, _ cut: SweepCut, maximumSteps: Int, patience: Duration) {
        self.context = context
        self.cut = cut
        self.maximumSteps = maximumSteps
        self.patience = patience
        if case .random(let seed) = cut.order { random = SeededRandom(seed: seed) }
    }

    /// Runs the scenario to its end.
    ///
    /// - Throws: ``TestKitError``; the scenario was then cancelled as a whole, and has ended unless the error
    ///   says otherwise.
    mutating func perform(
        _ scenario: @escaping @Sendable (SweepContext) async throws -> Void
    ) async throws -> Result {
        let outcome = Guarded<Outcome?>(nil)
        // Owner: this run, which drives it to its end.
        let task = Task(name: "scenario", executorPreference: context.executor) { [context] in
            let result: Outcome
            do { result = .success(try await scenario(context)) } catch { result = .failure(error) }
            outcome.withLock { $0 = result }
        }
        while outcome.withLock({ $0 == nil }) {
            guard let problem = try await advance(task) else { continue }
            let knowledge = context.knowledge
            let ending = unwind(task) { outcome.withLock { $0 != nil } }
            let message = ([problem] + knowledge + [ending]).joined(separator: "; ")
            throw TestKitError(.scenarioStuck, message, cut: cut)
        }
        try judge(outcome.withLock { $0 })
        try expectNothingLeft()
        return Result(steps: steps, usesVictims: context.hasVictims, wasCut: context.cutHadEffect)
    }

    /// Cancels if this is the place, and takes the next step.
    ///
    /// - Returns: Why the scenario cannot continue; `nil` if it can.
    private mutating func advance(_ task: Task<Void, Never>) async throws -> String? {
        if steps + 1 == cut.step { context.cut(task) }
        if step(movesClock: true) {
            steps += 1
            return steps <= maximumSteps ? nil : "the scenario takes more than \(maximumSteps) steps"
        }
        if try await jobsArrive() { return nil }
        return "the scenario is stuck at step \(steps + 1): no job is ready and nobody sleeps on the clock"
    }

    /// Runs one job; if there is none, resumes the tasks that waited for that, or moves the clock.
    private mutating func step(movesClock: Bool) -> Bool {
        if context.executor.runOne(choosing: { choose($0) }) { return true }
        if context.wakeSettled() { return true }
        return movesClock && context.clock.advanceToNextSleeper()
    }

    private mutating func choose(_ count: Int) -> Int {
        guard count > 1, let bits = random?.next() else { return 0 }
        return Int(bits % UInt64(count))
    }

    /// Waits for jobs from other threads.
    private func jobsArrive() async throws -> Bool {
        guard patience > .zero else { return false }
        do {
            try await withTimeout(patience) { [context] in try await context.executor.waitForJobs(1) }
            return true
        } catch TaskFlowError.Code.deadlineExceeded {
            return false
        }
    }

    /// Ends a scenario that does not continue, as far as cancelling all of it helps.
    private mutating func unwind(_ task: Task<Void, Never>, _ isDone: () -> Bool) -> String {
        task.cancel()
        for _ in 0..<maximumSteps where !isDone() {
            guard step(movesClock: true) else { break }
        }
        return isDone() ? "cancelling all of it ended it" : "not even cancelling all of it ended it"
    }

    private func judge(_ outcome: Outcome?) throws(TestKitError) {
        guard case .failure(let error)? = outcome else { return }
        if error is CancellationError, context.cutReachedScenario { return }
        throw TestKitError(.scenarioFailed, "the scenario threw \(error)", cut: cut, cause: error)
    }

    /// Runs what is still ready: a scenario awaits everything it started.
    private mutating func expectNothingLeft() throws(TestKitError) {
        var jobs = 0
        while jobs < maximumSteps, step(movesClock: false) { jobs += 1 }
        let sleepers = context.clock.sleepers
        guard jobs + sleepers > 0 else { return }
        let problem = "after its end \(jobs) jobs were run and \(sleepers) tasks slept on the clock"
        throw TestKitError(.notQuiet, "the scenario did not await all it had started: \(problem)", cut: cut)
    }
}
