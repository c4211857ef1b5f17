import TaskFlowTesting

@testable import TaskFlow

/// Callers of one coalescer, each step of which is taken when the test says so; what happens is told to the model at once.
///
/// All of it is on one thread at a time: the tasks run only in `step`, and the handlers of a cancel run within it.
final class FlightScenario: Sendable {
    /// What the operation of a flight does.
    enum Conduct: CaseIterable {
        /// Ends as soon as it has begun.
        case immediate
        /// Ends when told to or when cancelled.
        case cooperative
        /// Ends when told to, also when it has been cancelled.
        case stubborn
    }

    /// An operation that has begun.
    struct Operation: Sendable {
        let context: FlightContext
        var end: CheckedContinuation<FlightModel.Outcome, Never>?
        var wasCancelled = false
    }

    struct State {
        var model = FlightModel()
        var operations: [Int: Operation] = [:]
        var outcomes: [Int: FlightModel.Outcome] = [:]
        /// What should not have happened.
        var complaints: [String] = []
    }

    let executor = ManualExecutor()
    let scope: TaskScope
    let flights: Coalescer<Int, Int>
    let state = Guarded(State())

    init() {
        scope = TaskScope(executor: executor)
        flights = Coalescer(scope: scope, name: "flight")
    }

    /// Makes a task that will call the coalescer.
    func call(_ caller: Int, key: Int, priority: LivePriority, conduct: Conduct) -> Task<Void, Never> {
        state.withLock { $0.model.create(key: key, urgency: priority.urgency) }
        return Task(executorPreference: executor) {
            // Nothing is awaited between this and the call, so the model hears of callers in the order of their coming.
            self.state.withLock { $0.model.arrive(caller) }
            let outcome: FlightModel.Outcome
            do {
                let value = try await self.flights.value(for: key, priority: priority) { context in
                    try await self.fly(caller, context, conduct)
                }
                outcome = .value(value)
            } catch {
                outcome = Self.outcome(of: error)
            }
            self.state.withLock { state in
                if state.outcomes.updateValue(outcome, forKey: caller) != nil {
                    state.complaints.append("caller \(caller) was answered twice")
                }
            }
        }
    }

    /// Lets an operation that waits for it end; false when it does not wait.
    @discardableResult
    func end(_ flight: Int, _ outcome: FlightModel.Outcome) -> Bool {
        let waiting = state.withLock { $0.operations[flight]?.end.take() }
        waiting?.resume(returning: outcome)
        return waiting != nil
    }

    private func fly(_ flight: Int, _ context: FlightContext, _ conduct: Conduct) async throws -> Int {
        begin(flight, context)
        let outcome = conduct == .immediate ? .value(flight) : await waitForEnd(flight, conduct)
        // Nothing is awaited between this and the end of the flight.
        state.withLock { $0.model.end(flight, outcome) }
        switch outcome {
        case .value(let value): return value
        case .failed(let number): throw Failure(number: number)
        case .cancelled, .refused: throw CancellationError()
        }
    }

    private func begin(_ flight: Int, _ context: FlightContext) {
        let isCancelled = Task.isCancelled
        state.withLock { state in
            if state.operations.updateValue(Operation(context: context), forKey: flight) != nil {
                state.complaints.append("flight \(flight) began twice")
            }
            if state.model.flight(startedBy: flight)?.isCancelled != isCancelled {
                state.complaints.append("flight \(flight) began with isCancelled == \(isCancelled)")
            }
        }
    }

    private func waitForEnd(_ flight: Int, _ conduct: Conduct) async -> FlightModel.Outcome {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if conduct == .cooperative && Task.isCancelled { return true }
                    state.operations[flight]?.end = continuation
                    return false
                }
                if isOver { continuation.resume(returning: .cancelled) }
            }
        } onCancel: {
            state.withLock { $0.operations[flight]?.wasCancelled = true }
            if conduct == .cooperative { end(flight, .cancelled) }
        }
    }

    private static func outcome(of error: any Error) -> FlightModel.Outcome {
        switch error {
        case let failure as Failure: .failed(failure.number)
        case is TaskScopeEnded: .refused
        default: .cancelled
        }
    }
}
