import TaskFlow
import TaskFlowTesting

extension ScheduleScenario {
    static let callbacks = ScheduleScenario(
        "a callback ends its call once, whatever crosses it",
        reaches: [
            "cancelled before the start", "cancelled, then answered", "answered, then cancelled", "misuse",
            "abandoned", "let go after a cancel", "handler called at once", "handler called",
        ],
        program: CallbackOperation.program
    ) { operations in
        try await CallbackTrial(operations).run()
    }
}

/// What happens to a controller.
enum CallbackOperation: Sendable, CustomStringConvertible {
    case call(CallbackCancellation)
    /// Ends the call with a number, or with an error of that number.
    case answer(Int, fails: Bool, pause: Int)
    case letGo(pause: Int)
    /// Adds a handler, which may answer with the cancellation.
    case handle(id: Int, answers: Bool, pause: Int)
    case cancel(pause: Int)

    var description: String {
        switch self {
        case .call(let cancellation): "call, cancellation \(cancellation)"
        case .answer(let number, let fails, _): "\(fails ? "fail" : "finish") with \(number)"
        case .letGo: "let the controller go"
        case .handle(let id, let answers, _): "add handler \(id)\(answers ? ", which answers" : "")"
        case .cancel: "cancel"
        }
    }

    /// Whether it happens to the controller, and so not before there is one.
    var concernsController: Bool {
        switch self {
        case .call, .cancel: false
        default: true
        }
    }

    static func program(_ random: inout ScheduleRandom) -> [CallbackOperation] {
        let kinds = [CallbackCancellation.throwsAtOnce, .throwsAfterCallback, .leftToCallback]
        var operations = [CallbackOperation.call(kinds[random.number(0...2)])]
        for id in 0..<random.number(0...2) {
            operations.append(.handle(id: id, answers: random.oneIn(3), pause: random.number(0...2)))
        }
        for number in 0..<random.number(0...3) {
            operations.append(.answer(number, fails: random.oneIn(3), pause: random.number(0...3)))
        }
        if random.oneIn(3) { operations.append(.letGo(pause: random.number(0...4))) }
        if !random.oneIn(3) { operations.append(.cancel(pause: random.number(0...6))) }
        return operations
    }
}

/// What is due by the rules, from what has happened so far.
private struct CallbackModel {
    enum Outcome: Equatable {
        case answer(Int)
        case failure(Int)
        case cancelled
        case abandoned
    }

    let cancellation: CallbackCancellation
    var hasStarted = false
    var isCancelled = false
    var isAnswered = false
    var outcome: Outcome?
    var misuses = 0
    /// The handlers that have not been called, and those that are to be called.
    var handlers: Set<Int> = []
    var calls: Set<Int> = []

    mutating func cancel() {
        guard outcome == nil else { return }
        isCancelled = true
        calls.formUnion(handlers)
        if cancellation == .throwsAtOnce || !hasStarted { outcome = .cancelled }
    }

    mutating func answer(_ answer: Outcome) {
        defer { isAnswered = true }
        guard outcome == nil else {
            if !isCancelled { misuses += 1 }
            return
        }
        outcome = isCancelled && cancellation != .leftToCallback ? .cancelled : answer
    }

    mutating func letGo() {
        if outcome == nil { outcome = isCancelled ? .cancelled : .abandoned }
        isAnswered = true
    }

    mutating func handle(_ id: Int) {
        if isAnswered { return }
        if isCancelled { calls.insert(id) } else { handlers.insert(id) }
    }
}

private final class CallbackTrial: Sendable {
    private struct AnswerFailed: Error {
        let number: Int
    }

    private let operations: [CallbackOperation]
    private let model: Guarded<CallbackModel>
    private let controller = Guarded<JobController<Int>?>(nil)
    private let parties = Guarded<[Findings.Party]>([])
    private let misuses = Guarded(0)
    private let calls = Guarded<[Int]>([])
    private let findings = Findings()

    init(_ operations: [CallbackOperation]) {
        self.operations = operations
        var cancellation = CallbackCancellation.throwsAfterCallback
        if case .call(let other)? = operations.first { cancellation = other }
        model = Guarded(CallbackModel(cancellation: cancellation))
    }

    func run() async throws {
        let caller = findings.start("caller") { await self.call() }
        let cancels = operations.compactMap { operation in
            if case .cancel(let steps) = operation {
                findings.start("cancel") { [self] in
                    await pause(steps)
                    if model.withLock(\.isAnswered) { sometimes("answered, then cancelled") }
                    scheduleNote("cancel")
                    model.withLock { $0.cancel() }
                    caller.cancel()
                }
            } else {
                nil
            }
        }
        try await findings.wait(for: [caller] + cancels)
        try await findings.wait(for: parties.withLock(\.self))
        let due = model.withLock(\.self)
        let (misuses, calls) = (misuses.withLock(\.self), calls.withLock(\.self))
        findings.expect(misuses == due.misuses, "\(misuses) second answers were told, not \(due.misuses)")
        findings.expect(calls.count == Set(calls).count, "a handler was called twice: \(calls)")
        findings.expect(Set(calls) == due.calls, "handlers \(calls) were called, not \(due.calls)")
        try findings.check()
    }

    private func call() async {
        let outcome: CallbackModel.Outcome
        do {
            let report = JobMisuse.Handler { [self] _ in
                sometimes("misuse")
                misuses.withLock { $0 += 1 }
            }
            outcome = .answer(try await JobMisuse.$handler.withValue(report) { try await callBack() })
        } catch let failure as AnswerFailed {
            outcome = .failure(failure.number)
        } catch {
            outcome = (error as? TaskFlowError)?.code == .jobAbandoned ? .abandoned : .cancelled
        }
        scheduleNote("the call ended: \(outcome)")
        let model = model.withLock(\.self)
        if !model.hasStarted { sometimes("cancelled before the start") }
        if outcome == .abandoned { sometimes("abandoned") }
        findings.expect(
            outcome == model.outcome,
            "the call ended with \(outcome), not \(model.outcome.map { "\($0)" } ?? "later")"
        )
    }

    private func callBack() async throws -> Int {
        try await withCallback(cancellation: model.withLock(\.cancellation)) { controller in
            scheduleNote("started")
            self.controller.withLock { $0 = controller }
            findings.expect(model.withLock(\.outcome) == nil, "started, although it was cancelled before")
            model.withLock { $0.hasStarted = true }
            start()
        }
    }

    /// Lets the parties go, and after them the controller.
    private func start() {
        let acts = operations.filter(\.concernsController)
        let left = Guarded(acts.count)
        if acts.isEmpty { letGo() }
        let tasks = acts.map { operation in
            findings.start(operation.description) { [self] in
                await act(operation)
                let isLast = left.withLock { left in
                    left -= 1
                    return left == 0
                }
                if isLast { letGo() }
            }
        }
        parties.withLock { $0 = tasks }
    }

    private func act(_ operation: CallbackOperation) async {
        switch operation {
        case .call, .cancel: break
        case .letGo(let steps):
            await pause(steps)
            letGo()
        case .answer(let number, let fails, let steps):
            await pause(steps)
            guard let controller = controller.withLock(\.self) else { return }
            scheduleNote("answer \(number)")
            if model.withLock({ $0.isCancelled && $0.outcome == nil }) {
                sometimes("cancelled, then answered")
            }
            model.withLock { $0.answer(fails ? .failure(number) : .answer(number)) }
            controller.finish(with: fails ? .failure(AnswerFailed(number: number)) : .success(number))
        case .handle(let id, let answers, let steps):
            await pause(steps)
            guard let controller = controller.withLock(\.self) else { return }
            if model.withLock({ $0.isCancelled && !$0.isAnswered }) { sometimes("handler called at once") }
            model.withLock { $0.handle(id) }
            controller.onCancel { [self] in handle(id, answers, $0) }
        }
    }

    private func letGo() {
        let controller = controller.withLock { $0.take() }
        guard controller != nil else { return }
        scheduleNote("let go")
        if model.withLock(\.isCancelled) { sometimes("let go after a cancel") }
        model.withLock { $0.letGo() }
    }

    private func handle(_ id: Int, _ answers: Bool, _ controller: JobController<Int>) {
        scheduleNote("handler \(id) was called")
        sometimes("handler called")
        calls.withLock { $0.append(id) }
        guard answers else { return }
        model.withLock { $0.answer(.cancelled) }
        controller.fail(with: CancellationError())
    }
}
