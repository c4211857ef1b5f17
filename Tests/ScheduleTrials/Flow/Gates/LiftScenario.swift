import TaskFlow
import TaskFlowTesting

extension ScheduleScenario {
    /// From a caller's priority over the flight's to the flight's place at the gate.
    static let lifts = ScheduleScenario(
        "an urgent caller lifts the flight that it joined, also at a gate",
        reaches: ["went first", "rose while it waited", "sank while it waited", "cancelled at the gate"],
        program: LiftOperation.program
    ) { operations in
        try await LiftTrial(operations).run(operations)
    }
}

/// What a random program does with flights that wait at a gate for one.
enum LiftOperation: Sendable, CustomStringConvertible {
    case call(id: Int, key: Int, rank: Rank, steps: Int, pause: Int)
    case change(id: Int, to: Rank, pause: Int)
    case cancel(id: Int, pause: Int)

    var description: String {
        switch self {
        case .call(let id, let key, let rank, let steps, _):
            "caller \(id) wants key \(key) with \(rank), \(steps) steps"
        case .change(let id, let rank, _): "change caller \(id) to \(rank)"
        case .cancel(let id, _): "cancel caller \(id)"
        }
    }

    var isCall: Bool { if case .call = self { true } else { false } }

    static func program(_ random: inout ScheduleRandom) -> [LiftOperation] {
        let count = random.number(2...6)
        var operations = (0..<count).map { id in
            LiftOperation.call(
                id: id,
                key: random.number(0...3),
                rank: .random(&random),
                steps: random.number(1...4),
                pause: random.number(0...2)
            )
        }
        for _ in 0..<random.number(0...4) {
            let id = random.number(0...count - 1)
            let pause = random.number(0...12)
            operations.append(
                random.oneIn(3)
                    ? .cancel(id: id, pause: pause) : .change(id: id, to: .random(&random), pause: pause)
            )
        }
        return operations
    }
}

private final class LiftTrial: Sendable {
    private struct State {
        /// The flights that have asked for the gate's permit and don't have it, by their starters.
        var waiting: [Int: LivePriority] = [:]
        var ranksAtArrival: [Int: WorkPriority] = [:]
        /// Of whom one must be next.
        var next: Set<Int>?
    }

    private let gate = AdmissionGate(capacity: 1)
    private let scope = TaskScope()
    private let flights: Coalescer<Int, Int>
    private let priorities: [Int: LivePriority]
    private let findings = Findings()
    private let state = Guarded(State())

    init(_ operations: [LiftOperation]) {
        flights = Coalescer(scope: scope, name: "flight")
        var priorities: [Int: LivePriority] = [:]
        for case .call(let id, _, let rank, _, _) in operations {
            priorities[id] = LivePriority(rank.priority, deadline: Rank.instant(rank.deadline))
        }
        self.priorities = priorities
    }

    func run(_ operations: [LiftOperation]) async throws {
        var callers: [Int: Findings.Party] = [:]
        for case .call(let id, let key, _, let steps, let delay) in operations {
            callers[id] = findings.start("caller \(id)") { await self.call(id, key, steps, delay) }
        }
        let others = operations.filter { !$0.isCall }.map { operation in
            findings.start(operation.description) { [callers] in await self.act(operation, callers) }
        }
        try await findings.wait(for: callers.sorted { $0.key < $1.key }.map(\.value) + others)
        await scope.end(.drain)
        findings.expect(
            gate.snapshot.used == 0 && gate.snapshot.waiting == 0,
            "the gate holds \(gate.snapshot)"
        )
        for (id, priority) in priorities {
            findings.expect(priority.observerCount == 0, "the priority of caller \(id) is still followed")
        }
        try findings.check()
    }

    private func call(_ id: Int, _ key: Int, _ steps: Int, _ delay: Int) async {
        await pause(delay)
        guard let priority = priorities[id] else { return }
        do {
            _ = try await flights.value(for: key, priority: priority) { context in
                try await self.fly(id, steps, context)
            }
        } catch {
            findings.expect(
                error is CancellationError && Task.isCancelled,
                "caller \(id) failed with \(error)"
            )
        }
    }

    private func fly(_ id: Int, _ steps: Int, _ context: FlightContext) async throws -> Int {
        scheduleNote("flight \(id) asks for a permit with \(context.priority.current)")
        state.withLock { state in
            state.waiting[id] = context.priority
            state.ranksAtArrival[id] = context.priority.current
        }
        defer { state.withLock { $0.waiting[id] = nil } }
        let permit: Permit
        do { permit = try await gate.acquire(priority: context.priority) } catch {
            sometimes("cancelled at the gate")
            scheduleNote("flight \(id) is cancelled at the gate")
            findings.expect(Task.isCancelled, "flight \(id) was refused, and not cancelled")
            throw error
        }
        enter(id, context)
        await pause(steps)
        release(permit, of: id)
        findings.expect(
            context.priority.observerCount == 0,
            "flight \(id) has left the gate, which still follows it"
        )
        return id
    }

    private func enter(_ id: Int, _ context: FlightContext) {
        let (next, before) = state.withLock { state in
            state.waiting[id] = nil
            return (state.next.take(), state.ranksAtArrival[id])
        }
        scheduleNote("flight \(id) is at the gate's other side")
        if let before, context.priority.current > before { sometimes("rose while it waited") }
        if let before, context.priority.current < before { sometimes("sank while it waited") }
        guard let next else { return }
        sometimes("went first")
        findings.expect(next.contains(id), "flight \(id) went before one of \(next.sorted())")
    }

    /// Gives the permit back; if all that have asked are in the queue by now, the most urgent is next.
    private func release(_ permit: Permit, of id: Int) {
        let waiting = state.withLock(\.waiting)
        let ranks = waiting.mapValues { Rank(priority: $0.current, deadline: Rank.seconds($0.deadline)) }
        let areAllThere = gate.snapshot.waiting == waiting.count
        let most = ranks.values.max()
        let next = Set(ranks.filter { $0.value == most }.keys)
        if areAllThere, !next.isEmpty { state.withLock { $0.next = next } }
        scheduleNote(
            "flight \(id) gives its permit back; \(gate.snapshot.waiting) wait, next is \(next.sorted())"
        )
        permit.release()
        if areAllThere {
            findings.expect(gate.snapshot.used == min(waiting.count, 1), "nobody was let in, and some wait")
        }
    }

    private func act(_ operation: LiftOperation, _ callers: [Int: Findings.Party]) async {
        switch operation {
        case .call: return
        case .cancel(let id, let delay):
            await pause(delay)
            scheduleNote("cancel caller \(id)")
            callers[id]?.cancel()
        case .change(let id, let rank, let delay):
            await pause(delay)
            scheduleNote("caller \(id) is \(rank)")
            priorities[id]?.set(rank.priority)
            priorities[id]?.set(deadline: Rank.instant(rank.deadline))
        }
    }
}
