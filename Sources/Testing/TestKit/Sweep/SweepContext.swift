import TaskFlow
public import TaskFlowTesting

/// The surroundings of a scenario in a sweep, new for each run.
public final class SweepContext: Sendable {
    private struct State {
        var isCut = false
        /// Whether the cut ended something, or prevents it from continuing.
        var cutHadEffect = false
        var hasVictims = false
        var victims: [UInt64: @Sendable () -> Void] = [:]
        var lastVictim: UInt64 = 0
        var settling: [CheckedContinuation<Void, Never>] = []
        var descriptions: [@Sendable () -> String] = []
    }

    /// Runs the scenario; pass it to everything that starts tasks or has its own threads.
    public let executor = ManualExecutor()
    /// The time of the scenario.
    public let clock = ManualClock()

    private let cutsVictims: Bool
    private let state = Guarded(State())

    init(cutsVictims: Bool) {
        self.cutsVictims = cutsVictims
    }

    // MARK: For scenarios

    /// Runs `operation` as a task that the sweep cancels instead of the scenario's own.
    ///
    /// - Returns: What it returns; `nil` if it was cancelled and threw `CancellationError`.
    /// - Throws: Any other error that it throws, including `CancellationError` if it was not cancelled.
    @discardableResult
    public func victim<Output: Sendable>(
        _ operation: @escaping @Sendable () async throws -> Output
    ) async throws -> Output? {
        // Owner: this call, which awaits it.
        let task = Task(name: "victim", executorPreference: executor) { try await operation() }
        let id = enter { task.cancel() }
        let result = await withTaskCancellationHandler {
            await task.result
        } onCancel: {
            task.cancel()
        }
        let isCut = leave(id)
        if isCut, case .failure(is CancellationError) = result { return nil }
        return try result.get()
    }

    /// Waits until no other job is ready to run, while the clock stands still.
    ///
    /// Work that is about to end has then ended, and work that does not end is visible.
    public func settle() async {
        await withCheckedContinuation { waiter in
            state.withLock { $0.settling.append(waiter) }
        }
    }

    /// Adds a line to the report of a stuck scenario, such as the state of a transport.
    public func describe(_ name: String, _ text: @escaping @Sendable () -> String) {
        state.withLock { $0.descriptions.append { "\(name): \(text())" } }
    }

    // MARK: For the sweep

    /// Whether the scenario has named victims.
    var hasVictims: Bool { state.withLock { $0.hasVictims } }

    /// Whether the cut ended something, or prevented it from continuing.
    var cutHadEffect: Bool { state.withLock { $0.cutHadEffect } }

    /// Whether the scenario's own task was cancelled.
    var cutReachedScenario: Bool { !cutsVictims && state.withLock { $0.isCut } }

    /// What is known about a scenario that does not continue.
    var knowledge: [String] {
        let (victims, descriptions) = state.withLock { ($0.victims.count, $0.descriptions) }
        return (victims > 0 ? ["victims: \(victims)"] : []) + descriptions.map { $0() }
    }

    /// Cancels the victims, now and later, or otherwise the scenario itself.
    func cut(_ scenario: Task<Void, Never>) {
        let victims = state.withLock { state -> [@Sendable () -> Void] in
            state.isCut = true
            if !cutsVictims || !state.victims.isEmpty { state.cutHadEffect = true }
            return state.victims.sorted { $0.key < $1.key }.map(\.value)
        }
        if cutsVictims {
            for cancel in victims { cancel() }
        } else {
            scenario.cancel()
        }
    }

    /// Resumes the tasks that waited until nothing else was ready; false if there are none.
    func wakeSettled() -> Bool {
        let waiters = state.withLock { state in
            defer { state.settling = [] }
            return state.settling
        }
        for waiter in waiters { waiter.resume() }
        return !waiters.isEmpty
    }

    private func enter(_ cancel: @escaping @Sendable () -> Void) -> UInt64 {
        let (id, isCut) = state.withLock { state in
            state.hasVictims = true
            state.lastVictim += 1
            state.victims[state.lastVictim] = cancel
            if state.isCut, cutsVictims { state.cutHadEffect = true }
            return (state.lastVictim, state.isCut && cutsVictims)
        }
        if isCut { cancel() }
        return id
    }

    private func leave(_ id: UInt64) -> Bool {
        state.withLock { state in
            state.victims[id] = nil
            return state.isCut
        }
    }
}
