import TaskFlowTesting

/// Runs a scenario repeatedly and cancels it at its first, second, third … step, until it completes.
///
/// The whole scenario runs on a `ManualExecutor`, job by job on the calling thread, and sleeps on a
/// `ManualClock` that advances when there is nothing else to do. A step is one job, or one such advance.
/// The first run is not cancelled: it shows that the scenario can succeed. After each run a check examines
/// whether the scenario has left anything behind.
///
/// Work on other threads is not swept: give the code under test ``SweepContext/executor`` and
/// ``SweepContext/clock``.
///
/// ```swift
/// try await CancellationSweep().run { context in
///     let transport = ScriptedTransport(clock: context.clock, otherwise: .bytes(TinyPicture.png()))
///     var configuration = PipelineConfiguration()
///     configuration.exchange = transport
///     configuration.clock = context.clock
///     configuration.executor = context.executor
///     try await withImagePipeline(configuration) { pipeline in
///         async let other = pipeline.rendition(for: request)
///         try await context.victim { try await pipeline.rendition(for: request) }
///         _ = try await other
///         await context.settle()
///         try await QuietCheck.expectQuiet(pipeline, patience: .zero)
///     }
/// }
/// ```
public struct CancellationSweep: Sendable {
    /// Which of several ready jobs is next.
    public enum JobOrder: Hashable, Sendable {
        /// The job that arrived first.
        case arrival
        /// Any of them, by random choices that follow from the seed.
        case random(seed: UInt64)
    }

    /// Which of several ready jobs is next, the oldest by default.
    public var order: JobOrder
    /// The maximum number of steps in one run, 100,000 by default; more is a failure.
    public var maximumSteps = 100_000
    /// How long a run waits for jobs from other threads before it counts as stuck.
    ///
    /// Zero by default, since there are none.
    public var patience = Duration.zero

    /// Creates a sweep.
    public init(order: JobOrder = .arrival) {
        self.order = order
    }

    /// Runs the scenario with all cuts.
    ///
    /// - Parameters:
    ///   - scenario: The work to cancel. If it names victims (``SweepContext/victim(_:)``), only they are
    ///     cancelled, otherwise its own task is. If it is cancelled itself, it may throw `CancellationError`
    ///     or succeed; otherwise it must succeed.
    ///   - check: Called after each run with its cut; an error that it throws ends the sweep.
    /// - Returns: The number of runs and steps.
    /// - Throws: ``TestKitError`` if the scenario threw another error, was stuck, took too many steps or left
    ///   something running, or if `check` threw. `CancellationError` if the sweep's own task is cancelled.
    @discardableResult
    public func run(
        scenario: @escaping @Sendable (SweepContext) async throws -> Void,
        check: (SweepCut) async throws -> Void = { _ in }
    ) async throws -> SweepReport {
        let whole = try await perform(scenario, SweepCut(step: nil, order: order), nil, check)
        var cut = SweepCut(step: 1, order: order)
        while try await perform(scenario, cut, whole.usesVictims, check).wasCut {
            cut = cut.next
            try Task.checkCancellation()
        }
        return SweepReport(cuts: (cut.step ?? 1) - 1, steps: whole.steps)
    }

    private func perform(
        _ scenario: @escaping @Sendable (SweepContext) async throws -> Void,
        _ cut: SweepCut,
        _ cutsVictims: Bool?,
        _ check: (SweepCut) async throws -> Void
    ) async throws -> SweepRun.Result {
        let context = SweepContext(cutsVictims: cutsVictims ?? false)
        var run = SweepRun(context, cut, maximumSteps: maximumSteps, patience: patience)
        let result = try await run.perform(scenario)
        do {
            try await check(cut)
        } catch {
            throw TestKitError(.checkFailed, "the check failed: \(error)", cut: cut, cause: error)
        }
        return result
    }
}

/// The result of a sweep.
public struct SweepReport: Hashable, Sendable {
    /// The number of runs that were cancelled.
    public let cuts: Int
    /// The number of steps of the run that was not cancelled.
    public let steps: Int
}

/// Where a run of a sweep was cancelled.
public struct SweepCut: Hashable, Sendable, CustomStringConvertible {
    /// The step before which it was cancelled, from 1; `nil` for the run that was not cancelled.
    public let step: Int?
    /// Which of several ready jobs was next.
    public let order: CancellationSweep.JobOrder

    /// The cut and the order on one line, enough to repeat the run.
    public var description: String {
        (step.map { "cut before step \($0)" } ?? "not cut") + ", order \(order)"
    }

    var next: SweepCut { SweepCut(step: (step ?? 0) + 1, order: order) }
}
