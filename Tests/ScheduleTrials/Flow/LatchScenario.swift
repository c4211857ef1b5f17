import TaskFlow
import TaskFlowTesting

extension ScheduleScenario {
    static let latch = ScheduleScenario(
        "a latch wakes all who wait, or lets the cancelled go",
        reaches: [
            "cancelled while it waits", "cancelled on its way in", "came when it was set",
            "set when somebody was cancelled",
        ],
        program: LatchOperation.program
    ) { operations in
        try await LatchTrial().run(operations)
    }
}

/// What a random program does with a latch.
enum LatchOperation: Sendable, CustomStringConvertible {
    case wait(id: Int, isPatient: Bool, pause: Int)
    case cancel(id: Int, pause: Int)
    case set(Int, pause: Int)

    var description: String {
        switch self {
        case .wait(let id, let isPatient, _): "waiter \(id)\(isPatient ? ", also when cancelled" : "")"
        case .cancel(let id, _): "cancel waiter \(id)"
        case .set(let value, _): "set \(value)"
        }
    }

    static func program(_ random: inout ScheduleRandom) -> [LatchOperation] {
        let count = random.number(1...4)
        var operations = (0..<count).map { id in
            LatchOperation.wait(id: id, isPatient: random.oneIn(4), pause: random.number(0...3))
        }
        for _ in 0..<random.number(0...3) {
            operations.append(.cancel(id: random.number(0...count - 1), pause: random.number(0...4)))
        }
        for value in 0..<random.number(0...2) {
            operations.append(.set(value, pause: random.number(0...4)))
        }
        return operations
    }
}

/// Who waits for a latch, and what is due to whom.
private struct LatchModel: PartlySeen {
    enum Outcome: Hashable, Sendable {
        case value(Int)
        case cancelled
    }

    struct Waiter: Hashable, Sendable {
        let isPatient: Bool
        var isCancelled = false
        /// Whether it has come to the latch, which cannot be seen.
        var hasEntered = false
        var due: Outcome?
    }

    var value: Int?
    var waiters: [Int: Waiter] = [:]

    var afterUnseenStep: [LatchModel] {
        waiters.sorted { $0.key < $1.key }.filter { !$0.value.hasEntered }.map { id, waiter in
            var model = self
            var waiter = waiter
            waiter.hasEntered = true
            if let value {
                waiter.due = .value(value)
            } else if waiter.isCancelled, !waiter.isPatient {
                waiter.due = .cancelled
            }
            model.waiters[id] = waiter
            return model
        }
    }

    mutating func set(_ value: Int) {
        guard self.value == nil else { return }
        self.value = value
        for (id, waiter) in waiters where waiter.hasEntered && waiter.due == nil {
            waiters[id]?.due = .value(value)
        }
    }

    mutating func cancel(_ id: Int) {
        guard let waiter = waiters[id] else { return }
        waiters[id]?.isCancelled = true
        if waiter.hasEntered, !waiter.isPatient, waiter.due == nil { waiters[id]?.due = .cancelled }
    }
}

private final class LatchTrial: Sendable {
    private let latch = Latch<Int>()
    private let model = Guarded(Possibilities(LatchModel()))
    private let findings = Findings()

    func run(_ operations: [LatchOperation]) async throws {
        var waiters: [Int: Findings.Party] = [:]
        for case .wait(let id, let isPatient, let delay) in operations {
            waiters[id] = findings.start("waiter \(id)") { await self.wait(id, isPatient, delay) }
        }
        let others = operations.filter { if case .wait = $0 { false } else { true } }.map { operation in
            findings.start(operation.description) { [waiters] in await self.act(operation, waiters) }
        }
        try await findings.wait(for: others)
        // Time goes on only when nothing else does, so whoever is to be woken has been.
        try await Task.sleep(for: .seconds(1))
        let waiting = model.withLock { $0.models.first?.waiters.keys.sorted() ?? [] }
        see("time goes on, and waiters \(waiting) wait on") { model in
            model.waiters.values.allSatisfy { $0.hasEntered && $0.due == nil }
        }
        // Without it, some would wait for ever by right.
        set(3)
        try await findings.wait(for: waiters.sorted { $0.key < $1.key }.map(\.value))
        try findings.check()
    }

    private func act(_ operation: LatchOperation, _ waiters: [Int: Findings.Party]) async {
        switch operation {
        case .wait: return
        case .cancel(let id, let delay):
            await pause(delay)
            see("cancel waiter \(id)") { model in
                if let waiter = model.waiters[id], !waiter.isPatient, waiter.due == nil {
                    sometimes(waiter.hasEntered ? "cancelled while it waits" : "cancelled on its way in")
                }
                model.cancel(id)
                return true
            }
            waiters[id]?.cancel()
        case .set(let value, let delay):
            await pause(delay)
            set(value)
        }
    }

    private func set(_ value: Int) {
        see("set \(value)") { model in
            if model.waiters.values.contains(where: { $0.due == .cancelled }) {
                sometimes("set when somebody was cancelled")
            }
            model.set(value)
            return true
        }
        latch.set(value)
        let isRight = model.withLock { $0.models.allSatisfy { $0.value == latch.value } }
        findings.expect(isRight, "after the set of \(value), it is \(latch.value ?? 0)")
    }

    private func wait(_ id: Int, _ isPatient: Bool, _ delay: Int) async {
        await pause(delay)
        let isCancelled = Task.isCancelled
        see("waiter \(id) comes") { model in
            if model.value != nil { sometimes("came when it was set") }
            model.waiters[id] = LatchModel.Waiter(isPatient: isPatient, isCancelled: isCancelled)
            return true
        }
        let outcome: LatchModel.Outcome
        if isPatient {
            outcome = .value(await latch.waitUncancelled())
        } else {
            do { outcome = .value(try await latch.wait()) } catch { outcome = .cancelled }
        }
        see("waiter \(id) got \(outcome)") { model in
            model.waiters.removeValue(forKey: id)?.due == outcome
        }
    }

    private func see(_ event: String, _ change: (inout LatchModel) -> Bool) {
        scheduleNote(event)
        let isPossible = model.withLock { $0.see(change) }
        findings.expect(isPossible, "\(event), against the rules")
    }
}
