import TaskFlowTesting
import Testing

@testable import TaskFlow

/// The real coalescer against the model of its rules, in random interleavings of single steps.
@Suite(.timeLimit(.minutes(1))) struct FlightModelTests {
    /// One run: what the seed has chosen so far.
    private struct Run {
        let scenario = FlightScenario()
        let seed: TestSeed
        var random: ScheduleRandom
        var tasks: [Task<Void, Never>] = []
        /// Each is the priority of several callers, and changes for all of them at once.
        let priorities = (0..<6).map { _ in LivePriority() }
        var followers: [Int: [Int]] = [:]
        /// Made before the run, so that it depends on the seed alone.
        let epoch = ContinuousClock.now

        init(_ seed: TestSeed) {
            self.seed = seed
            random = seed.random
        }

        var model: FlightModel { scenario.state.withLock { $0.model } }

        mutating func step() {
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<45: scenario.executor.runOne { Int.random(in: 0..<$0, using: &random) }
            case 45..<65: call()
            case 65..<80: cancel()
            case 80..<90: changeUrgency()
            default: endFlight()
            }
        }

        mutating func endScope() {
            scenario.state.withLock { $0.model.endScope() }
            scenario.scope.cancelAll()
        }

        /// Ends all operations, whatever the model makes of them.
        func finish() {
            repeat {
                let operations = scenario.state.withLock { $0.operations.keys.sorted() }
                for operation in operations { scenario.end(operation, .value(operation)) }
            } while scenario.executor.runUntilIdle() > 0
        }

        private mutating func call() {
            guard tasks.count < 100,
                let conduct = FlightScenario.Conduct.allCases.randomElement(using: &random)
            else { return }
            let key = Int.random(in: 0..<5, using: &random)
            let priority = Int.random(in: 0..<priorities.count, using: &random)
            followers[priority, default: []].append(tasks.count)
            tasks.append(
                scenario.call(tasks.count, key: key, priority: priorities[priority], conduct: conduct)
            )
        }

        private mutating func cancel() {
            let callers = model.callers
            let present = tasks.indices.filter { if case .done = callers[$0].state { false } else { true } }
            guard let caller = (present + present + tasks.indices).randomElement(using: &random) else {
                return
            }
            scenario.state.withLock { $0.model.cancel(caller) }
            tasks[caller].cancel()
        }

        private mutating func changeUrgency() {
            let index = Int.random(in: 0..<priorities.count, using: &random)
            if Bool.random(using: &random) {
                priorities[index].set(WorkPriority.allCases.randomElement(using: &random) ?? .normal)
            } else {
                let seconds = Int.random(in: 0...4, using: &random)
                priorities[index].set(deadline: seconds == 0 ? nil : epoch + .seconds(seconds))
            }
            let urgency = priorities[index].urgency
            scenario.state.withLock { state in
                for caller in followers[index] ?? [] { state.model.set(caller, urgency) }
            }
        }

        private mutating func endFlight() {
            let begun = model.flights.filter { !$0.hasEnded }
            guard let flight = begun.randomElement(using: &random)?.starter else { return }
            let fails = Int.random(in: 0..<3, using: &random) == 0
            scenario.end(flight, fails ? .failed(flight) : .value(flight))
        }
    }

    @Test(arguments: TestSeed.seeds(150))
    func `every interleaving gives what the model gives`(seed: TestSeed) async {
        var run = Run(seed)
        let end = Bool.random(using: &run.random) ? Int.random(in: 100..<300, using: &run.random) : nil
        for number in 0..<300 {
            if number == end { run.endScope() } else { run.step() }
            if let difference = difference(run) {
                Issue.record("\(seed), step \(number): \(difference)")
                break
            }
        }
        run.finish()
        expectQuiet(run)
        await run.scenario.scope.end()
    }

    /// What differs from the model now; nil when nothing does.
    private func difference(_ run: Run) -> String? {
        let flights = run.scenario.flights
        let state = run.scenario.state.withLock { $0 }
        let model = state.model
        if let complaint = state.complaints.first { return complaint }
        if flights.flightCount != model.flightCount {
            return "\(flights.flightCount) flights, not \(model.flightCount)"
        }
        if flights.waiterCount != model.waiterCount {
            return "\(flights.waiterCount) waiters, not \(model.waiterCount)"
        }
        for key in 0..<5 where flights.hasFlight(for: key) != model.hasFlight(for: key) {
            return "a flight for \(key): \(flights.hasFlight(for: key))"
        }
        for (caller, outcome) in state.outcomes where model.callers[caller].state != .done(outcome) {
            return "caller \(caller) got \(outcome), not \(model.callers[caller].state)"
        }
        for flight in model.flights where !flight.hasEnded {
            guard let operation = state.operations[flight.starter] else { continue }
            if let difference = difference(flight, operation) { return difference }
        }
        return nil
    }

    private func difference(_ flight: FlightModel.Flight, _ operation: FlightScenario.Operation) -> String? {
        let urgency = operation.context.priority.urgency
        if urgency != flight.urgency {
            return "flight \(flight.starter) has \(urgency), not \(flight.urgency)"
        }
        // Whoever is cancelled before it waits sees that by itself.
        guard operation.end != nil, operation.wasCancelled != flight.isCancelled else { return nil }
        return "flight \(flight.starter) was cancelled: \(operation.wasCancelled)"
    }

    private func expectQuiet(_ run: Run) {
        let (scenario, seed) = (run.scenario, run.seed)
        let state = scenario.state.withLock { $0 }
        #expect(difference(run) == nil, "\(seed), at the end")
        #expect(state.outcomes.count == run.tasks.count, "\(seed): some callers were not answered")
        #expect(state.operations.count == state.model.flights.count, "\(seed): some flights did not begin")
        #expect(scenario.flights.flightCount == 0, "\(seed)")
        #expect(scenario.flights.waiterCount == 0, "\(seed)")
        #expect(scenario.scope.activeCount == 0, "\(seed)")
        #expect(scenario.executor.queuedCount == 0, "\(seed)")
        #expect(run.priorities.allSatisfy { $0.observerCount == 0 }, "\(seed): a priority is still followed")
    }
}
