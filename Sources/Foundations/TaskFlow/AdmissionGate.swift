/// A limit on how much may run at a time: connections, bytes in memory, decodes.
///
/// Work takes a permit of some weight, and waits for it if the gate is full. The next waiter is the one with
/// the highest priority, then the earliest deadline, then the longest wait. The order is strict: nothing that
/// is as urgent or less overtakes the next waiter, so light items never starve a heavy one. An item heavier
/// than the whole gate is admitted alone.
///
/// A gate can reserve some of its capacity for urgent work, so that a flood of low-priority work does not
/// fill it. Low-priority work still enters an empty gate, whatever its weight.
///
/// Waiting can be cancelled. A permit always returns: when it is released, when its scope ends, or when it is
/// dropped.
public final class AdmissionGate: Sendable {
    /// The state of a gate at one moment.
    public struct Snapshot: Hashable, Sendable {
        /// The weight that the gate admits at a time.
        public let capacity: Int
        /// The weight of all permits in use; exceeds the capacity while a heavier item is in alone.
        public let used: Int
        /// The number of waiters.
        public let waiting: Int
    }

    private struct State {
        var queue: AdmissionQueue
        var waiters: [UInt64: CheckedContinuation<Void, any Error>] = [:]
        var lastTicket: UInt64 = 0
    }

    private enum Arrival {
        case admitted
        case waits(ticket: UInt64)
    }

    private let state: Guarded<State>

    /// Creates a gate.
    ///
    /// - Parameters:
    ///   - capacity: The total weight that it admits at a time, at least one.
    ///   - keptBack: How much of that capacity work below `priority` must leave free.
    ///   - priority: The lowest priority that may use the whole capacity.
    public init(capacity: Int, keptBack: Int = 0, from priority: WorkPriority = .normal) {
        let queue = AdmissionQueue(capacity: capacity, keptBack: keptBack, from: priority)
        state = Guarded(State(queue: queue))
    }

    /// The gate's current use.
    public var snapshot: Snapshot {
        state.withLock { state in
            let queue = state.queue
            return Snapshot(capacity: queue.capacity, used: queue.used, waiting: queue.waitingCount)
        }
    }

    /// Changes the capacity; a higher one admits waiters immediately, a lower one takes nothing back.
    public func resize(to capacity: Int) {
        update { $0.resize(to: capacity) }
    }

    /// Waits for a permit.
    ///
    /// - Parameters:
    ///   - weight: The weight of the work; a negative weight counts as zero.
    ///   - priority: The priority of the work.
    /// - Returns: The permit. Hold it as long as the work continues.
    /// - Throws: `CancellationError` as soon as the task is cancelled before the permit is granted.
    public func acquire(weight: Int = 1, priority: WorkPriority = .normal) async throws -> Permit {
        try await acquire(weight: max(weight, 0), source: .fixed(priority))
    }

    /// Waits for a permit with a priority and deadline that may change during the wait.
    ///
    /// The position in the queue follows them.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled before the permit is granted.
    public func acquire(weight: Int = 1, priority: LivePriority) async throws -> Permit {
        try await acquire(weight: max(weight, 0), source: .live(priority))
    }

    /// Waits until a permit of that weight is available, but takes none, so that other work can use the room.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled before that.
    package func waitForRoom(_ weight: Int, priority: WorkPriority = .normal) async throws {
        try Task.checkCancellation()
        let (weight, source) = (max(weight, 0), PrioritySource.fixed(priority))
        if case .waits(let ticket) = arrive(weight: weight, source: source, takes: false) {
            try await wait(ticket, weight: weight, source: source, takes: false)
        }
    }

    /// Takes a permit if there is room and no equally or more urgent work waits.
    ///
    /// Otherwise returns nil without waiting.
    public func tryAcquire(weight: Int = 1, priority: WorkPriority = .normal) -> Permit? {
        let weight = max(weight, 0)
        let isAdmitted = state.withLock { $0.queue.tryAdmit(weight: weight, urgency: Urgency(priority)) }
        return isAdmitted ? Permit(gate: self, weight: weight, source: .fixed(priority)) : nil
    }

    /// Runs `body` with a permit, and returns it when `body` returns or throws.
    ///
    /// - Throws: what `body` throws, or `CancellationError` when cancelled while waiting.
    public func withPermit<Output>(
        weight: Int = 1,
        priority: WorkPriority = .normal,
        _ body: () async throws -> Output
    ) async throws -> Output {
        let permit = try await acquire(weight: weight, priority: priority)
        defer { permit.release() }
        return try await body()
    }

    /// Runs `body` with a permit, after waiting with a priority that may change.
    ///
    /// Returns the permit when `body` ends.
    ///
    /// - Throws: What `body` throws, or `CancellationError` when cancelled while waiting.
    public func withPermit<Output>(
        weight: Int = 1,
        priority: LivePriority,
        _ body: () async throws -> Output
    ) async throws -> Output {
        let permit = try await acquire(weight: weight, priority: priority)
        defer { permit.release() }
        return try await body()
    }

    func giveBack(_ weight: Int) {
        update { $0.release(weight: weight) }
    }

    func tryGrow(from weight: Int, to target: Int, urgency: Urgency) -> Bool {
        state.withLock { $0.queue.tryGrow(from: weight, to: target, urgency: urgency) }
    }

    private func acquire(weight: Int, source: PrioritySource) async throws -> Permit {
        try Task.checkCancellation()
        if case .waits(let ticket) = arrive(weight: weight, source: source) {
            try await source.observed(by: { self.follow(source, ticket) }) {
                try await wait(ticket, weight: weight, source: source)
            }
        }
        return Permit(gate: self, weight: weight, source: source)
    }

    private func arrive(weight: Int, source: PrioritySource, takes: Bool = true) -> Arrival {
        state.withLock { state in
            if state.queue.tryAdmit(weight: weight, urgency: source.urgency, takes: takes) {
                return .admitted
            }
            state.lastTicket += 1
            return .waits(ticket: state.lastTicket)
        }
    }

    private func wait(_ ticket: UInt64, weight: Int, source: PrioritySource, takes: Bool = true) async throws
    {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                enqueue(ticket, weight: weight, source: source, takes, continuation)
            }
        } onCancel: {
            cancel(ticket)
        }
    }

    private func enqueue(
        _ ticket: UInt64,
        weight: Int,
        source: PrioritySource,
        _ takes: Bool,
        _ continuation: CheckedContinuation<Void, any Error>
    ) {
        let admitted = state.withLock { state -> [CheckedContinuation<Void, any Error>]? in
            // Checked under the lock: a cancel before this is seen here, and a later one finds the ticket in
            // the queue.
            guard !Task.isCancelled else { return nil }
            state.waiters[ticket] = continuation
            let tickets = state.queue.wait(
                ticket,
                weight: weight,
                urgency: source.urgency,
                takes: takes
            )
            return tickets.compactMap { state.waiters.removeValue(forKey: $0) }
        }
        if let admitted {
            for waiter in admitted { waiter.resume() }
        } else {
            continuation.resume(throwing: CancellationError())
        }
    }

    private func cancel(_ ticket: UInt64) {
        let (cancelled, admitted) = state.withLock { state in
            let tickets = state.queue.cancel(ticket)
            let cancelled = tickets.flatMap { _ in state.waiters.removeValue(forKey: ticket) }
            return (cancelled, (tickets ?? []).compactMap { state.waiters.removeValue(forKey: $0) })
        }
        cancelled?.resume(throwing: CancellationError())
        for waiter in admitted { waiter.resume() }
    }

    private func follow(_ source: PrioritySource, _ ticket: UInt64) {
        update { $0.reprioritise(ticket, to: source.urgency) }
    }

    /// Changes the queue, and resumes the waiters that the change admits.
    private func update(_ change: (inout AdmissionQueue) -> [UInt64]) {
        let admitted = state.withLock { state in
            change(&state.queue).compactMap { state.waiters.removeValue(forKey: $0) }
        }
        for waiter in admitted { waiter.resume() }
    }
}

/// Permission from an admission gate to proceed; it returns to the gate when released or dropped.
public final class Permit: Sendable {
    private let gate: AdmissionGate
    private let source: PrioritySource
    /// Nil once released.
    private let held: Guarded<Int?>

    init(gate: AdmissionGate, weight: Int, source: PrioritySource) {
        self.gate = gate
        self.source = source
        held = Guarded(weight)
    }

    deinit {
        release()
    }

    /// The weight that this permit holds; zero after its release.
    public var weight: Int { held.withLock { $0 ?? 0 } }

    /// Returns the whole weight; a second call does nothing.
    public func release() {
        let weight = held.withLock { held in
            defer { held = nil }
            return held
        }
        if let weight { gate.giveBack(weight) }
    }

    /// Returns the weight above `weight` immediately.
    ///
    /// A permit that holds less stays as it is.
    public func shrink(to weight: Int) {
        let target = max(weight, 0)
        let excess = held.withLock { held -> Int in
            guard let current = held, current > target else { return 0 }
            held = target
            return current - target
        }
        if excess > 0 { gate.giveBack(excess) }
    }

    /// Grows the permit to `weight` in total, if the gate has room and no equally or more urgent work waits.
    ///
    /// Never waits, so that holders cannot block each other. A holder that is alone in the gate may grow
    /// beyond its capacity.
    ///
    /// - Returns: Whether the permit now holds at least `weight`; false if it has been released.
    public func tryGrow(to weight: Int) -> Bool {
        held.withLock { held in
            guard let current = held else { return false }
            guard current < weight else { return true }
            guard gate.tryGrow(from: current, to: weight, urgency: source.urgency) else { return false }
            held = weight
            return true
        }
    }
}
