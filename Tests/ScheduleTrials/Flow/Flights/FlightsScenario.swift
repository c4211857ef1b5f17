import TaskFlow
import TaskFlowTesting

extension ScheduleScenario {
    /// Each caller gets the outcome of its flight once; a flight nobody waits for is cancelled, and nobody joins it any more.
    static let flights = ScheduleScenario(
        "a coalescer does the work of a key once, as long as somebody waits",
        reaches: [
            "joined", "abandoned before it began", "abandoned", "a new flight beside an abandoned one",
            "cancelled when the outcome was there", "cancelled before it joined", "refused", "raised",
        ],
        program: FlightsProgram.make
    ) { operations in
        try await FlightsTrial(operations).run(operations)
    }
}

/// A coalescer, and beside it the model, which is told of everything in the step in which it happens.
final class FlightsTrial: Sendable {
    private struct OperationFailed: Error {
        let starter: Int
    }

    private let scope = TaskScope()
    private let flights: Coalescer<Int, Int>
    private let model: Guarded<Possibilities<FlightsModel>>
    private let findings = Findings()
    private let callers: [FlightsCaller]
    private let priorities: [Int: LivePriority]
    /// What the operations that have begun and not ended are given.
    private let contexts = Guarded<[Int: FlightContext]>([:])

    init(_ operations: [FlightsOperation]) {
        callers = operations.compactMap { if case .call(let caller) = $0 { caller } else { nil } }
        var ranks: [Int: Rank] = [:]
        // A program may lack the caller whose priority is shared.
        for caller in callers { ranks[caller.priority] = ranks[caller.priority] ?? caller.rank }
        let owners = Dictionary(uniqueKeysWithValues: callers.map { ($0.id, $0.priority) })
        priorities = ranks.mapValues { LivePriority($0.priority, deadline: Rank.instant($0.deadline)) }
        model = Guarded(Possibilities(FlightsModel(ranks: ranks, priorities: owners)))
        flights = Coalescer(scope: scope, name: "flight")
    }

    func run(_ operations: [FlightsOperation]) async throws {
        var tasks: [Int: Findings.Party] = [:]
        for caller in callers {
            tasks[caller.id] = findings.start("caller \(caller.id)") { await self.call(caller) }
        }
        let others = operations.filter { if case .call = $0 { false } else { true } }.map { operation in
            findings.start(operation.description) { [tasks] in await self.disturb(operation, tasks) }
        }
        try await findings.wait(for: callers.compactMap { tasks[$0.id] } + others)
        await scope.end(.drain)
        see("the end") { _ in true }
        findings.expect(flights.flightCount == 0, "\(flights.flightCount) flights have not ended")
        findings.expect(flights.waiterCount == 0, "\(flights.waiterCount) still wait")
        findings.expect(scope.activeCount == 0, "\(scope.activeCount) tasks have not ended")
        for (id, priority) in priorities {
            findings.expect(priority.observerCount == 0, "the priority of caller \(id) is still followed")
        }
        try findings.check()
    }

    private func call(_ caller: FlightsCaller) async {
        await pause(caller.pause)
        guard !Task.isCancelled, let priority = priorities[caller.priority] else { return }
        see("caller \(caller.id) calls") { model in
            model.arrive(caller.id, key: caller.key)
            return true
        }
        let outcome: FlightsModel.Outcome
        do {
            let value = try await flights.value(for: caller.key, priority: priority) { context in
                try await self.fly(caller, context)
            }
            outcome = .value(value)
        } catch let failure as OperationFailed {
            outcome = .failed(failure.starter)
        } catch TaskFlowError.Code.scopeEnded {
            sometimes("refused")
            outcome = .refused
        } catch {
            outcome = .cancelled
        }
        if Task.isCancelled, outcome != .cancelled { sometimes("cancelled when the outcome was there") }
        if outcome == .cancelled, !Task.isCancelled { sometimes("got the cancellation of the scope") }
        see("caller \(caller.id) got \(outcome)") { $0.leave(caller.id, outcome) }
    }

    private func fly(_ caller: FlightsCaller, _ context: FlightContext) async throws -> Int {
        see("the flight of \(caller.id) begins") { model in
            if model.flight(startedBy: caller.id)?.waiters.isEmpty == true {
                sometimes("abandoned before it began")
            }
            return model.begin(caller.id)
        }
        contexts.withLock { $0[caller.id] = context }
        let outcome = await perform(caller, context)
        look(caller, context)
        contexts.withLock { _ = $0.removeValue(forKey: caller.id) }
        see("the operation of \(caller.id) ends: \(outcome)") { model in
            model.end(caller.id, outcome)
            return true
        }
        switch outcome {
        case .value(let value): return value
        case .failed(let starter): throw OperationFailed(starter: starter)
        case .cancelled, .refused: throw CancellationError()
        }
    }

    private func perform(_ caller: FlightsCaller, _ context: FlightContext) async -> FlightsModel.Outcome {
        for _ in 0..<caller.steps {
            look(caller, context)
            switch caller.conduct {
            case .stubborn: await pause(1)
            case .cooperative:
                await pause(1)
                if Task.isCancelled { return .cancelled }
            case .sleeping:
                do { try await Task.sleep(for: .milliseconds(1)) } catch { return .cancelled }
            }
        }
        return caller.fails ? .failed(caller.id) : .value(caller.id)
    }

    /// Compares what the operation sees with what the model has.
    private func look(_ caller: FlightsCaller, _ context: FlightContext) {
        let isCancelled = Task.isCancelled
        let rank = (context.priority.current, context.priority.deadline)
        let words = "\(isCancelled ? "cancelled, " : "")\(rank.0)"
        see("the operation of \(caller.id) sees that it is \(words)") { model in
            guard let flight = model.flight(startedBy: caller.id) else { return false }
            if flight.rank.priority > caller.rank.priority { sometimes("raised") }
            return flight.isCancelled == isCancelled && flight.rank.priority == rank.0
                && Rank.instant(flight.rank.deadline) == rank.1
        }
    }

    private func disturb(_ operation: FlightsOperation, _ tasks: [Int: Findings.Party]) async {
        switch operation {
        case .call: return
        case .cancel(let id, let steps):
            await pause(steps)
            see("caller \(id) is cancelled") { model in
                if model.coming.contains(where: { $0.id == id }) { sometimes("cancelled before it joined") }
                model.cancel(id)
                return true
            } acting: {
                tasks[id]?.cancel()
            }
        case .change(let priority, let rank, let steps):
            await pause(steps)
            change(priority, to: rank)
        case .endScope(let ending, let steps):
            await pause(steps)
            await end(ending)
        }
    }

    private func end(_ ending: ScopeEnding) async {
        see("the scope ends: \(ending)") { model in
            if ending == .drain { model.closeScope() } else { model.cancelScope() }
            return true
        } acting: {
            if ending == .cancelAll { scope.cancelAll() }
        }
        switch ending {
        case .cancelAll: return
        case .cancel: await scope.end()
        case .drain: await scope.end(.drain)
        }
        findings.expect(scope.activeCount == 0, "the scope has ended with \(scope.activeCount) tasks")
        see("the scope has ended") { _ in true }
    }

    private func change(_ id: Int, to rank: Rank) {
        guard let priority = priorities[id] else { return }
        see("the priority of caller \(id) is now \(rank)") { model in
            model.change(id, to: rank)
            return true
        } acting: {
            priority.set(rank.priority)
            priority.set(deadline: Rank.instant(rank.deadline))
        }
    }

    /// Takes an event into account, acts, and compares the coalescer with the model.
    private func see(
        _ event: String,
        _ change: (inout FlightsModel) -> Bool,
        acting act: () -> Void = {}
    ) {
        let isPossible = model.withLock { $0.see(change) }
        act()
        scheduleNote("\(event); \(flights.flightCount) flights, \(flights.waiterCount) waiting")
        findings.expect(isPossible, "\(event), against the rules")
        let (flightCount, waiterCount) = (flights.flightCount, flights.waiterCount)
        let open = Set(callers.map(\.key).filter(flights.hasFlight))
        // How urgent each flight is between the steps of its operation, too.
        let ranks = contexts.withLock(\.self).mapValues { context in
            Rank(priority: context.priority.current, deadline: Rank.seconds(context.priority.deadline))
        }
        let isEqual = model.withLock { possibilities in
            possibilities.keep { model in
                for flight in model.flights {
                    if flight.waiters.count > 1 { sometimes("joined") }
                    guard !flight.isOpen else { continue }
                    sometimes("abandoned")
                    if model.hasOpenFlight(for: flight.key) {
                        sometimes("a new flight beside an abandoned one")
                    }
                }
                let isRanked = ranks.allSatisfy { model.flight(startedBy: $0)?.rank == $1 }
                return isRanked && model.flights.count == flightCount && model.waiterCount == waiterCount
                    && Set(model.flights.filter(\.isOpen).map(\.key)) == open
            }
        }
        findings.expect(
            isEqual,
            "after '\(event)', there are \(flightCount) flights (\(ranks)), keys \(open.sorted()) can be joined, and "
                + "\(waiterCount) wait, against the rules"
        )
    }
}
