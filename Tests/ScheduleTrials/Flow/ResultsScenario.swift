import TaskFlow
import TaskFlowTesting

extension ScheduleScenario {
    static let results = ScheduleScenario(
        "a concurrent iteration keeps its limits, gives each result once and leaves no child behind",
        reaches: [
            "all read", "left early", "threw early", "cancelled", "failed fast", "the input failed",
            "as many as allowed run", "as many as allowed wait", "cancelled with children running",
        ],
        program: ResultsOperation.program
    ) { operations in
        try await ResultsTrial(operations).run()
    }
}

/// What is known of an iteration while it goes on.
struct ResultsLedger: Sendable {
    var running: Set<Int> = []
    var started: [Int] = []
    var taken: [Int] = []
    var read: [Int] = []
    var takenWhenCancelled: Int?
    var hasEnded = false
}

/// Iterates, and holds what happens against what is promised.
final class ResultsTrial: Sendable {
    private struct OperationFailed: Error, Equatable {
        let number: Int
    }

    private struct ReaderFailed: Error {}

    private typealias Results = ConcurrentResults<ResultsInput, Int, ResultsInputs.Failed>

    private let plan: ResultsPlan
    private let inputs: [ResultsInput]
    private let cancelPauses: [Int]
    private let ledger = Guarded(ResultsLedger())
    private let findings = Findings()

    init(_ operations: [ResultsOperation]) {
        var plan = ResultsPlan()
        for case .iterate(let other) in operations { plan = other }
        self.plan = plan
        inputs = operations.compactMap { if case .input(let input) = $0 { input } else { nil } }
        cancelPauses = operations.compactMap { if case .cancel(let pause) = $0 { pause } else { nil } }
    }

    func run() async throws {
        let reader = findings.start("reader") { await self.read() }
        let cancels = cancelPauses.map { count in
            findings.start("cancel") { [self] in
                await pause(count)
                scheduleNote("cancel")
                ledger.withLock { ledger in
                    if !ledger.running.isEmpty { sometimes("cancelled with children running") }
                    ledger.takenWhenCancelled = ledger.taken.count
                }
                reader.cancel()
            }
        }
        try await findings.wait(for: [reader] + cancels)
        // A child that was left behind would begin or end now.
        try await Task.sleep(for: .seconds(1))
        try findings.check()
    }

    private func read() async {
        let source = ResultsInputs(inputs: inputs, fails: plan.inputFails) { [self] in isTaken($0) }
        let operation: @Sendable (ResultsInput) async throws -> Int = { [self] in try await perform($0) }
        let result: Result<Bool, any Error>
        do {
            let isAtEnd: Bool
            if let ending = plan.scopeEnding {
                isAtEnd = try await withTaskScope(ending: ending) { scope in
                    try await read(
                        source.concurrentResults(
                            limit: plan.limit,
                            order: plan.order,
                            in: scope,
                            operation: operation
                        )
                    )
                }
            } else {
                isAtEnd = try await withConcurrentResults(
                    of: source,
                    limit: plan.limit,
                    order: plan.order,
                    operation: operation
                ) { results in try await read(results) }
            }
            result = .success(isAtEnd)
        } catch {
            result = .failure(error)
        }
        end(result)
    }

    /// False if the loop was left before its end.
    private func read(_ results: Results) async throws -> Bool {
        guard plan.readerCount == 1 else { return try await readTwice(results) }
        if plan.failsFast {
            for try await result in results.failFast where try await !take(result) {
                return false
            }
        } else {
            for try await result in results where try await !take(result) {
                return false
            }
        }
        return true
    }

    /// Two tasks share one iterator.
    private func readTwice(_ results: Results) async throws -> Bool {
        let iterator = results.makeAsyncIterator()
        return try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 1...2 {
                group.addTask(name: "reader \(number)") { [self] in
                    var own = iterator
                    while let result = try await own.next() {
                        if try await !take(result) { return false }
                    }
                    return true
                }
            }
            return try await group.reduce(true) { $0 && $1 }
        }
    }

    private func take(_ element: ConcurrentResult<ResultsInput, Int>) async throws -> Bool {
        let number = element.input.number
        scheduleNote("read \(element.index)")
        let read = ledger.withLock { ledger in
            ledger.read.append(element.index)
            return ledger.read
        }
        findings.expect(
            inputs[element.index].number == number,
            "result \(element.index) has the input \(number)"
        )
        findings.expect(Set(read).count == read.count, "a result was read twice: \(read)")
        if plan.order == .input, plan.readerCount == 1 {
            findings.expect(read == Array(0..<read.count), "read out of order: \(read)")
        }
        switch element.result {
        case .success(let output): findings.expect(output == number, "result \(number) is \(output)")
        case .failure(let error):
            let isOwn = error as? OperationFailed == OperationFailed(number: number)
            findings.expect(isOwn || error is CancellationError, "result \(number) is \(error)")
        }
        switch plan.leaving {
        case .breaks(let count) where read.count > count: return false
        case .throwsError(let count) where read.count > count: throw ReaderFailed()
        default: break
        }
        await pause(plan.pause)
        return true
    }

    private func isTaken(_ input: ResultsInput) {
        ledger.withLock { $0.taken.append(input.number) }
        checkLimits()
    }

    private func perform(_ input: ResultsInput) async throws -> Int {
        ledger.withLock { ledger in
            ledger.started.append(input.number)
            ledger.running.insert(input.number)
        }
        defer { ledger.withLock { _ = $0.running.remove(input.number) } }
        let isLate = ledger.withLock { ledger in
            guard let before = ledger.takenWhenCancelled else { return false }
            return plan.scopeEnding == nil && ledger.taken.dropFirst(before).contains(input.number)
        }
        findings.expect(!isLate, "input \(input.number) came after the cancel, and was started")
        checkLimits()
        for _ in 0..<input.steps {
            await pause(1)
            if input.obeys { try Task.checkCancellation() }
        }
        if input.fails { throw OperationFailed(number: input.number) }
        return input.number
    }

    private func checkLimits() {
        let ledger = ledger.withLock(\.self)
        findings.expect(!ledger.hasEnded, "it goes on after its end")
        findings.expect(ledger.running.count <= plan.limit, "\(ledger.running.count) operations run")
        if ledger.running.count == plan.limit { sometimes("as many as allowed run") }
        // Each reader may be about to get one more.
        let ahead = ledger.taken.count - ledger.read.count
        findings.expect(
            ahead <= 2 * plan.limit + plan.readerCount,
            "\(ahead) inputs were taken and are not read"
        )
        if ahead >= 2 * plan.limit { sometimes("as many as allowed wait") }
        if let before = ledger.takenWhenCancelled, plan.scopeEnding == nil {
            findings.expect(ledger.taken.count <= before + 1, "inputs are read after the cancel")
        }
    }
}

extension ResultsTrial {
    /// What must hold when the iteration has ended.
    private func end(_ result: Result<Bool, any Error>) {
        let ledger = ledger.withLock { ledger in
            ledger.hasEnded = true
            return ledger
        }
        scheduleNote("ended: \(result)")
        findings.expect(ledger.running.isEmpty, "ended, and \(ledger.running.sorted()) still run")
        let isCancelled = ledger.takenWhenCancelled != nil
        switch result {
        case .success(false): sometimes("left early")
        case .success(true):
            sometimes(isCancelled ? "cancelled" : "all read")
            findings.expect(ledger.read.sorted() == ledger.started.map(index).sorted(), "results are missing")
            let isWhole = isCancelled || ledger.read.count == inputs.count && !plan.inputFails
            findings.expect(isWhole, "ended early, after \(ledger.read.count) results")
        case .failure(is ReaderFailed): sometimes("threw early")
        case .failure(is ResultsInputs.Failed):
            sometimes("the input failed")
            findings.expect(plan.inputFails, "the input did not fail")
            let isWhole = plan.failsFast || ledger.read.count == inputs.count
            findings.expect(isWhole, "failed with the input, after \(ledger.read.count) results")
        case .failure(let error as OperationFailed):
            sometimes("failed fast")
            let mayFail = plan.failsFast && inputs.contains { $0.number == error.number && $0.fails }
            findings.expect(mayFail, "failed with \(error)")
        case .failure(let error):
            findings.expect(
                error is CancellationError && isCancelled && plan.failsFast,
                "failed with \(error)"
            )
        }
    }

    private func index(of number: Int) -> Int {
        inputs.firstIndex { $0.number == number } ?? -1
    }
}
