/// A concurrent program, and what must hold in every order of its steps, explored by seeds.
///
/// A program may be a list of random operations. When a run fails, the operations and decisions that play no
/// part are left out: the rest is a short story.
public struct ScheduleScenario: Sendable {
    /// The name in reports.
    public let name: String
    private let reaches: [String]
    private let stepLimit: Int
    private let operations: @Sendable (UInt64) -> [String]
    /// Runs the program of the seed, or only its operations with these numbers.
    private let body: @Sendable (UInt64, [Int]?) async throws -> Void

    /// Creates a scenario with a fixed program.
    ///
    /// - Parameters:
    ///   - name: The name in reports.
    ///   - reaches: The states that `sometimes` must report in at least one run of an exploration.
    ///   - stepLimit: The maximum number of steps in a run.
    ///   - body: The program; it throws when something is wrong.
    public init(
        _ name: String,
        reaches: [String] = [],
        stepLimit: Int = 100_000,
        run body: @escaping @Sendable () async throws -> Void
    ) {
        self.init(
            name,
            reaches: reaches,
            stepLimit: stepLimit,
            operations: { _ in [] },
            body: { _, _ in try await body() }
        )
    }

    /// Creates a scenario that runs random operations.
    ///
    /// - Parameters:
    ///   - name: The name in reports.
    ///   - reaches: The states that `sometimes` must report in at least one run of an exploration.
    ///   - stepLimit: The maximum number of steps in a run.
    ///   - program: Creates the operations of a run from these random numbers alone.
    ///   - body: Runs operations, even if some of them are left out; it throws when something is wrong.
    public init<Operation: Sendable>(
        _ name: String,
        reaches: [String] = [],
        stepLimit: Int = 100_000,
        program: @escaping @Sendable (inout ScheduleRandom) -> [Operation],
        run body: @escaping @Sendable ([Operation]) async throws -> Void
    ) {
        let operations: @Sendable (UInt64) -> [Operation] = { seed in
            var random = ScheduleRandom(seed: seed)
            return program(&random)
        }
        self.init(
            name,
            reaches: reaches,
            stepLimit: stepLimit,
            operations: { seed in operations(seed).map { "\($0)" } }
        ) { seed, kept in
            let all = operations(seed)
            try await body(kept.map { $0.filter(all.indices.contains).map { all[$0] } } ?? all)
        }
    }

    private init(
        _ name: String,
        reaches: [String],
        stepLimit: Int,
        operations: @escaping @Sendable (UInt64) -> [String],
        body: @escaping @Sendable (UInt64, [Int]?) async throws -> Void
    ) {
        self.name = name
        self.reaches = reaches
        self.stepLimit = stepLimit
        self.operations = operations
        self.body = body
    }

    /// Runs the scenario once for each seed, and every tenth seed twice.
    ///
    /// The seed decides on the program, the policy and the order.
    ///
    /// - Parameters:
    ///   - seeds: The seeds to run.
    ///   - onSeed: Called before each run.
    /// - Returns: How often each state that `sometimes` reports was reached.
    /// - Throws: ``ScheduleError`` for the first seed that fails, shortened; also if two runs of a seed
    ///   differ, or if a state was never reached.
    @discardableResult
    public func explore(seeds: Range<UInt64>, onSeed: (UInt64) -> Void = { _ in }) throws -> [String: Int] {
        var reached: [String: Int] = [:]
        for seed in seeds {
            onSeed(seed)
            let run = run(seed, nil, Self.policy(seed))
            if case .failure(let error) = run.result { throw shortened(seed, error, run.log) }
            reached.merge(run.log.reached, uniquingKeysWith: +)
            if seed.isMultiple(of: 10) { try repeated(seed, run.log) }
        }
        try check(reached, runs: seeds.count)
        return reached
    }

    /// Throws ``ScheduleError`` if a required state was not reached.
    public func check(_ reached: [String: Int], runs: Int) throws {
        let missing = reaches.filter { reached[$0] == nil }
        guard !missing.isEmpty else { return }
        throw ScheduleError.neverReached(missing, runs: runs)
    }

    /// Repeats a run that failed.
    ///
    /// Decisions have the same meaning only in the same program, so use a replay to look at a failure, and to
    /// test that it is fixed. In another process, `SWIFT_DETERMINISTIC_HASHING=1` gives sets and dictionaries
    /// the same order, if it was set there too.
    ///
    /// - Throws: ``ScheduleError`` if the run fails again.
    public func replay(_ replay: ScheduleReplay) throws {
        let run = run(replay.seed, replay.operations, .recorded(replay.choices), recordsAll: true)
        if case .failure(let error) = run.result { throw failure(error, replay, run.log) }
    }

    /// Returns the policy of a seed.
    ///
    /// Half of the seeds choose any job. A quarter of the others use each depth from 1 to 4.
    static func policy(_ seed: UInt64) -> SchedulePolicy {
        guard seed % 8 >= 4 else { return .random }
        return .pct(depth: Int(seed % 4) + 1, length: 16 << Int(seed / 8 % 7))
    }

    func run(
        _ seed: UInt64,
        _ kept: [Int]?,
        _ policy: SchedulePolicy,
        orderSeed: UInt64? = nil,
        recordsAll: Bool = false
    ) -> ScheduleRun<Void> {
        ScheduleRun(
            seed: orderSeed ?? seed,
            policy: policy,
            stepLimit: stepLimit,
            recordsAll: recordsAll
        ) {
            [body] in
            try await body(seed, kept)
        }
    }

    private func repeated(_ seed: UInt64, _ log: ScheduleLog) throws {
        let again = run(seed, nil, Self.policy(seed))
        guard let difference = log.difference(from: again.log) else { return }
        let replay = ScheduleReplay(seed: seed, operations: nil, choices: log.choices)
        throw failure(ScheduleError.uncontrolled(difference), replay, log)
    }

    private func shortened(_ seed: UInt64, _ error: any Error, _ log: ScheduleLog) -> ScheduleError {
        let count = operations(seed).count
        var shrinker = ScheduleShrinker(
            self,
            seed: seed,
            operations: count,
            error: error,
            choices: log.choices
        )
        shrinker.shrink()
        let replay = ScheduleReplay(
            seed: seed,
            operations: shrinker.kept.count == count ? nil : shrinker.kept,
            choices: shrinker.choices
        )
        let told = run(seed, replay.operations, .recorded(replay.choices), recordsAll: true)
        guard case .failure(let error) = told.result else {
            let first = ScheduleReplay(seed: seed, operations: nil, choices: log.choices)
            return failure(
                ScheduleError.uncontrolled("it failed with \(error), and did not when it was repeated"),
                first,
                log
            )
        }
        var failure = failure(error, replay, told.log)
        failure.remarks = [
            "the first run took \(log.steps.count) steps of \(count) operations, \(log.choices.count { $0 != 0 }) out of order"
        ]
        return failure
    }

    private func failure(_ error: any Error, _ replay: ScheduleReplay, _ log: ScheduleLog) -> ScheduleError {
        var failure = ScheduleError(error, replay: replay, log: log)
        let all = operations(replay.seed)
        failure.operations = replay.operations.map { $0.filter(all.indices.contains).map { all[$0] } } ?? all
        failure.scenario = name
        return failure
    }
}
