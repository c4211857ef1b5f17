import TaskFlow
import TaskFlowTesting

extension ScheduleScenario {
    /// Whatever is cancelled, resized or changed meanwhile.
    static let gate = ScheduleScenario(
        "a gate lets in whom its rules let in, and gets all permits back",
        reaches: [
            "cancelled before it arrives", "cancelled on its way to the queue", "cancelled while it waits",
            "admitted, then cancelled before it goes on", "heavier than the gate", "held back",
            "grew alone beyond the gate", "did not grow", "passed those who wait",
            "did not pass those who wait",
        ],
        program: GateProgram.make
    ) { operations in
        try await GateTrial(operations).run(operations)
    }
}

/// A gate, and beside it the model, which is told of everything in the step in which it happens.
final class GateTrial: Sendable {
    private let gate: AdmissionGate
    private let model: Guarded<Possibilities<GateModel>>
    private let findings = Findings()
    private let priorities: [Int: LivePriority]
    private let ranks: Guarded<[Int: Rank]>

    init(_ operations: [GateOperation]) {
        var model = GateModel()
        var ranks: [Int: Rank] = [:]
        for operation in operations {
            switch operation {
            case .open(let capacity, let keptBack, let threshold):
                model.capacity = capacity
                model.keptBack = keptBack
                model.threshold = threshold
            case .take(let taker): ranks[taker.id] = taker.rank
            default: break
            }
        }
        gate = AdmissionGate(capacity: model.capacity, keptBack: model.keptBack, from: model.threshold)
        priorities = ranks.mapValues { LivePriority($0.priority, deadline: Rank.instant($0.deadline)) }
        self.ranks = Guarded(ranks)
        self.model = Guarded(Possibilities(model))
    }

    func run(_ operations: [GateOperation]) async throws {
        var takers: [Int: Findings.Party] = [:]
        for case .take(let taker) in operations {
            takers[taker.id] = findings.start("taker \(taker.id)") { await self.take(taker) }
        }
        let others = operations.filter(\.isDisturbance).map { operation in
            findings.start(operation.description) { [takers] in await self.disturb(operation, takers) }
        }
        try await findings.wait(for: takers.sorted { $0.key < $1.key }.map(\.value) + others)
        let end = gate.snapshot
        findings.expect(end.used == 0 && end.waiting == 0, "at the end, the gate holds \(end)")
        for (id, priority) in priorities {
            findings.expect(priority.observerCount == 0, "the priority of taker \(id) is still followed")
        }
        try findings.check()
    }

    private func take(_ taker: GateTaker) async {
        await pause(taker.pause)
        if Task.isCancelled {
            sometimes("cancelled before it arrives")
        } else {
            let rank = rank(taker.id)
            see { $0.arrive(taker.id, weight: max(taker.weight, 0), rank: rank) }
        }
        do {
            switch taker.ending {
            case .scope: try await takeInScope(taker)
            default: try await takePermit(taker)
            }
        } catch {
            findings.expect(error is CancellationError, "taker \(taker.id) failed with \(error)")
            see("taker \(taker.id) was refused") { $0.leave(taker.id) }
        }
    }

    private func takeInScope(_ taker: GateTaker) async throws {
        try await gate.withPermit(weight: taker.weight, priority: priority(taker)) {
            enter(taker)
            await pause(taker.steps)
            see { $0.beginToLeave(taker.id) }
        }
        see("taker \(taker.id) left") { !$0.isInside(taker.id) }
        check("taker \(taker.id) left")
    }

    private func takePermit(_ taker: GateTaker) async throws {
        var permit: Permit? = try await gate.acquire(weight: taker.weight, priority: priority(taker))
        enter(taker)
        for step in 0..<taker.steps {
            await pause(1)
            if step == 0, let weight = taker.change { change(permit, taker, to: weight) }
        }
        see { $0.release(taker.id) }
        if taker.ending != .drop { permit?.release() }
        if taker.ending == .releaseTwice { permit?.release() }
        permit = nil
        check("taker \(taker.id) left")
    }

    private func enter(_ taker: GateTaker) {
        if Task.isCancelled { sometimes("admitted, then cancelled before it goes on") }
        see("taker \(taker.id) was let in") { model in
            if !model.waiting.isEmpty { sometimes("passed those who wait") }
            if taker.weight > model.capacity { sometimes("heavier than the gate") }
            return model.isInside(taker.id)
        }
        check("taker \(taker.id) is inside")
    }

    private func change(_ permit: Permit?, _ taker: GateTaker, to weight: Int) {
        let rank = rank(taker.id)
        if weight < permit?.weight ?? 0 {
            see { $0.hold(taker.id, weight: weight) }
            permit?.shrink(to: weight)
        } else {
            let grew = permit?.tryGrow(to: weight) ?? false
            if !grew { sometimes("did not grow") }
            see("taker \(taker.id) \(grew ? "grew" : "did not grow") to \(weight)") { model in
                guard model.mayGrow(taker.id, to: weight, rank: rank) == grew else { return false }
                if grew, weight > model.capacity { sometimes("grew alone beyond the gate") }
                if grew { model.hold(taker.id, weight: weight) }
                return true
            }
        }
        check("taker \(taker.id) changed its permit to \(weight)")
    }

    private func disturb(_ operation: GateOperation, _ takers: [Int: Findings.Party]) async {
        switch operation {
        case .open, .take: return
        case .tryTake(let id, let weight, let priority, let steps):
            await pause(steps)
            await tryTake(id, weight, priority)
        case .cancel(let id, let steps):
            await pause(steps)
            see { model in
                if model.isWaiting(id) { sometimes("cancelled while it waits") }
                if model.coming.contains(where: { $0.id == id }) {
                    sometimes("cancelled on its way to the queue")
                }
                model.cancel(id)
            }
            takers[id]?.cancel()
        case .resize(let capacity, let steps):
            await pause(steps)
            see { $0.resize(to: capacity) }
            gate.resize(to: capacity)
        case .change(let id, let rank, let steps):
            await pause(steps)
            change(id, to: rank)
        }
        check("\(operation)")
    }

    private func tryTake(_ id: Int, _ weight: Int, _ priority: WorkPriority) async {
        let rank = Rank(priority: priority)
        let permit = gate.tryAcquire(weight: weight, priority: priority)
        see("the attempt to take \(weight) gave \(permit == nil ? "nothing" : "a permit")") { model in
            guard model.mayPass(max(weight, 0), rank) == (permit != nil) else { return false }
            if permit != nil {
                model.arrive(id, weight: max(weight, 0), rank: rank)
            } else if model.used + weight <= model.capacity {
                sometimes(model.waiting.isEmpty ? "held back" : "did not pass those who wait")
            }
            return true
        }
        check("tried to take \(weight)")
        await pause(1)
        see { $0.release(id) }
        permit?.release()
    }

    /// The priority and the deadline change one after the other, and each may let somebody in.
    private func change(_ id: Int, to rank: Rank) {
        guard let priority = priorities[id] else { return see { _ in } }
        let half = Rank(priority: rank.priority, deadline: self.rank(id).deadline)
        set(id, half)
        priority.set(rank.priority)
        check("taker \(id) has \(half)")
        set(id, rank)
        priority.set(deadline: Rank.instant(rank.deadline))
    }

    private func set(_ id: Int, _ rank: Rank) {
        ranks.withLock { $0[id] = rank }
        see { $0.change(id, to: rank) }
    }

    private func priority(_ taker: GateTaker) -> LivePriority {
        priorities[taker.id] ?? LivePriority()
    }

    private func rank(_ id: Int) -> Rank {
        ranks.withLock { $0[id] } ?? Rank(priority: .normal)
    }

    private func see(_ change: (inout GateModel) -> Void) {
        _ = model.withLock { possibilities in
            possibilities.see { model in
                change(&model)
                return true
            }
        }
    }

    private func see(_ event: String, _ change: (inout GateModel) -> Bool) {
        let isPossible = model.withLock { $0.see(change) }
        findings.expect(isPossible, "\(event), against the rules")
    }

    /// Compares the gate with the model, in the step in which that was told of something.
    private func check(_ event: String) {
        let gate = gate.snapshot
        scheduleNote("\(event); \(gate.used) of \(gate.capacity) taken, \(gate.waiting) waiting")
        let due = model.withLock { $0.models.first }
        let isPossible = model.withLock { possibilities in
            possibilities.keep { model in
                gate.capacity == model.capacity && gate.used == model.used
                    && gate.waiting == model.waiting.count
            }
        }
        findings.expect(
            isPossible,
            "after '\(event)', \(gate.used) of \(gate.capacity) are taken and \(gate.waiting) wait; it should be "
                + (due.map { "\($0.used) of \($0.capacity), and \($0.waiting.count)" } ?? "something else")
        )
    }
}
