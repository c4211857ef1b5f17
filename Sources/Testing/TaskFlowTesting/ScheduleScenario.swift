/// A concurrent program, and what must hold in every order of its steps; explored by seeds.
///
/// A program may be a list of random operations. When a run fails, the operations that play no part are left out, and so are the
/// decisions: what is left is a short story.
public struct ScheduleScenario: Sendable {
    /// What it is called in reports.
    public let name: String
    private let reaches: [String]
    private let stepLimit: Int
    private let operations: @Sendable (UInt64) -> [String]
    /// Runs the program that follows from the seed, or those of its operations that are named.
    private let body: @Sendable (UInt64, [Int]?) async throws -> Void

    /// Creates a scenario that always does the same.
    ///
    /// - Parameters:
    ///   - name: What it is called in reports.
    ///   - reaches: The states that `sometimes` must report in one of the runs of an exploration.
    ///   - stepLimit: How many steps a run may take.
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
    ///   - name: What it is called in reports.
    ///   - reaches: The states that `sometimes` must report in one of the runs of an exploration.
    ///   - stepLimit: How many steps a run may take.
    ///   - program: Makes the operations of a run, from nothing but these random numbers.
    ///   - body: Runs operations, also when some of them are left out; it throws when something is wrong.
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

    /// Runs the scenario once for each seed, which decides about the program, the policy and the order; every tenth seed twice.
    ///
    /// - Parameters:
    ///   - seeds: Which.
    ///   - onSeed: Called before each run.
    /// - Returns: How often each state was reached that `sometimes` reports.
    /// - Throws: `ScheduleFailure` for the first seed that fails, shortened; also when two runs of a seed differ, or a state was
    ///   never reached.
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

    /// Throws `ScheduleFailure` when a state that must be reached is not among those that were.
    public func check(_ reached: [String: Int], runs: Int) throws {
        let missing = reaches.filter { reached[$0] == nil }
        guard !missing.isEmpty else { return }
        let trouble = ScheduleTrouble.neverReached(missing, runs: runs)
        throw ScheduleFailure(
            cause: trouble,
            replay: ScheduleReplay(seed: 0, operations: nil, choices: []),
            log: ScheduleLog()
        )
    }

    /// Repeats a run that failed.
    ///
    /// Decisions mean the same only in the same program, so a replay is for looking at a failure, and for a test that it is gone. In
    /// another process, `SWIFT_DETERMINISTIC_HASHING=1` gives sets and dictionaries the order they had, if it was set there too.
    ///
    /// - Throws: `ScheduleFailure` when it fails again.
    public func replay(_ replay: ScheduleReplay) throws {
        let run = run(replay.seed, replay.operations, .recorded(replay.choices), recordsAll: true)
        if case .failure(let error) = run.result { throw failure(error, replay, run.log) }
    }

    /// Half of the seeds choose any job; a quarter of the others each depth from 1 to 4.
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
        throw failure(ScheduleTrouble.uncontrolled(difference), replay, log)
    }

    private func shortened(_ seed: UInt64, _ error: any Error, _ log: ScheduleLog) -> ScheduleFailure {
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
                ScheduleTrouble.uncontrolled("it failed with \(error), and did not when it was repeated"),
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

    private func failure(_ error: any Error, _ replay: ScheduleReplay, _ log: ScheduleLog) -> ScheduleFailure
    {
        var failure = ScheduleFailure(cause: error, replay: replay, log: log)
        let all = operations(replay.seed)
        failure.operations = replay.operations.map { $0.filter(all.indices.contains).map { all[$0] } } ?? all
        failure.scenario = name
        return failure
    }
}

/// Something that a scenario found to be wrong.
public struct ScheduleViolation: Error, Sendable, CustomStringConvertible {
    /// What is wrong.
    public let description: String

    /// Creates the error.
    public init(_ description: String) {
        self.description = description
    }
}
