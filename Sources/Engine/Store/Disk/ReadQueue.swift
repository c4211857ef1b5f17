internal import TaskFlow

/// The jobs that wait for a reader, in the order of their arrival.
///
/// Each belongs to one caller that waits for it, and leaves the queue when the caller is cancelled.
final class ReadQueue: Sendable {
    /// A job; it gets no reader if there is none.
    typealias Job = @Sendable (IndexReader?) -> Void

    private struct State {
        var jobs: [UInt64: Job] = [:]
        var lastID: UInt64 = 0
        /// All jobs up to this one were taken or withdrawn.
        var head: UInt64 = 0
        /// Whether there are readers, or will be soon.
        var isOpen = true
        var idle: [CheckedContinuation<Job?, Never>] = []
        /// How often readers have been dismissed.
        var round = 0
        var lookUps = LookUpTimes()
        /// Resumed by the next look-up that needs a time limit.
        var watch: CheckedContinuation<Void, Never>?

        /// Adds the job `id`, the latest.
        mutating func arrive(_ job: @escaping Job, _ id: UInt64) -> Arrival {
            guard isOpen else { return .refused }
            if let reader = idle.popLast() { return .handed(reader) }
            // The earlier jobs were handed over, and need not be searched.
            if jobs.isEmpty { head = id - 1 }
            jobs[id] = job
            return .queued
        }

        mutating func takeWatch() -> CheckedContinuation<Void, Never>? {
            defer { watch = nil }
            return watch
        }

        mutating func takeFirst() -> Job? {
            guard !jobs.isEmpty else { return nil }
            while head < lastID {
                head += 1
                if let job = jobs.removeValue(forKey: head) { return job }
            }
            return nil
        }
    }

    private enum Arrival {
        case queued
        case handed(CheckedContinuation<Job?, Never>)
        case refused
    }

    private let state = Guarded(State())

    /// The number of waiting jobs.
    var count: Int { state.withLock { $0.jobs.count } }

    /// Runs `work`, which may take long, on a reader's thread and returns its result.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled; the work may continue without it.
    func run<Output: Sendable>(_ work: @escaping @Sendable (IndexReader?) -> Output) async throws -> Output {
        let result = Latch<Output>()
        let id = push { result.set(work($0)) }
        do {
            return try await result.wait()
        } catch {
            withdraw(id)
            throw error
        }
    }

    /// Runs a look-up on a reader's thread and returns its result; `nil` if it takes more than four to five
    /// seconds.
    ///
    /// A caller on the ``InlineExecutor`` continues there.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled; the look-up may continue without it.
    func lookUp(_ work: @escaping @Sendable (IndexReader?) -> StoredEntry?) async throws -> StoredEntry? {
        try Task.checkCancellation()
        let lookUp = PendingLookUp()
        let id = push(keepingTimeFor: lookUp) { reader in
            let entry = work(reader)
            InlineExecutor.shared.lendingThread { lookUp.set(entry) }
        }
        defer { withdraw(id) }
        return try await lookUp.wait()
    }

    private func push(keepingTimeFor lookUp: PendingLookUp? = nil, _ job: @escaping Job) -> UInt64 {
        let (id, arrival, watch) = state.withLock { state in
            state.lastID += 1
            if let lookUp { state.lookUps.add(lookUp, state.lastID) }
            return (
                state.lastID, state.arrive(job, state.lastID), lookUp == nil ? nil : state.takeWatch()
            )
        }
        switch arrival {
        case .queued: break
        case .handed(let reader): reader.resume(returning: job)
        case .refused: job(nil)
        }
        watch?.resume()
        return id
    }

    /// Removes a look-up that may still wait, and its time limit.
    private func withdraw(_ id: UInt64) {
        let job = state.withLock { state in
            state.lookUps.remove(id)
            return state.jobs.removeValue(forKey: id)
        }
        withExtendedLifetime(job) {}
    }

    // MARK: Times

    /// Ends late look-ups, so that a hanging disk delays no caller, until the task is cancelled.
    ///
    /// It must not run on a reader's thread, which hangs with the disk.
    func endLateLookUps(_ clock: any Clock<Duration>) async {
        while await hasLookUp() {
            do { try await clock.sleep(for: LookUpTimes.tick) } catch { return }
            for late in state.withLock({ $0.lookUps.pass(latest: $0.lastID) }) { late.set(nil) }
        }
    }

    /// Waits for a look-up; false when the task is cancelled.
    private func hasLookUp() async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let goesOn = state.withLock { state in
                    // Checked under the lock: a cancel before this is seen here, a later one finds the
                    // continuation.
                    if Task.isCancelled || !state.lookUps.isEmpty { return true }
                    state.watch = continuation
                    return false
                }
                if goesOn { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.takeWatch() }?.resume()
        }
        return !Task.isCancelled
    }

    // MARK: Readers

    /// Begins a round of readers and returns its number.
    func beginRound() -> Int {
        state.withLock { state in
            state.isOpen = true
            return state.round
        }
    }

    /// Returns the next job; `nil` when the round is over.
    func next(in round: Int) async -> Job? {
        await withCheckedContinuation { (continuation: CheckedContinuation<Job?, Never>) in
            let job = state.withLock { state -> Job?? in
                if state.round != round { return .some(nil) }
                if let job = state.takeFirst() { return .some(job) }
                state.idle.append(continuation)
                return nil
            }
            if let job { continuation.resume(returning: job) }
        }
    }

    /// Dismisses the readers after their current jobs; later jobs wait for the next round.
    func endRound() {
        let idle = state.withLock { state in
            state.round += 1
            defer { state.idle = [] }
            return state.idle
        }
        for reader in idle { reader.resume(returning: nil) }
    }

    /// Runs all jobs, and those that arrive until the next round, without a reader.
    func close() {
        let jobs = state.withLock { state in
            state.isOpen = false
            defer { state.jobs = [:] }
            return state.jobs
        }
        for job in jobs.values { job(nil) }
    }
}

/// The result of one look-up, for the one caller that waits for it.
///
/// Not a ``Latch``: a generic one for any number of callers costs as much as the look-up itself.
final class PendingLookUp: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<StoredEntry?, any Error>)
        case settled(StoredEntry?)

        /// Leaves the state without its caller, and returns the caller.
        mutating func settle(_ entry: StoredEntry?) -> CheckedContinuation<StoredEntry?, any Error>? {
            let before = self
            if case .settled = before { return nil }
            self = .settled(entry)
            guard case .awaited(let caller) = before else { return nil }
            return caller
        }
    }

    private let state = Guarded(State.open)

    /// Sets the result and resumes the caller; a second call does nothing.
    func set(_ entry: StoredEntry?) {
        state.withLock { $0.settle(entry) }?.resume(returning: entry)
    }

    /// Waits for the result.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled first.
    func wait() async throws -> StoredEntry? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { caller in
                let outcome = state.withLock { state -> Result<StoredEntry?, any Error>? in
                    if case .settled(let entry) = state { return .success(entry) }
                    // Checked under the lock: a cancel before this is seen here, a later one finds the caller.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    state = .awaited(caller)
                    return nil
                }
                if let outcome { caller.resume(with: outcome) }
            }
        } onCancel: {
            let caller = state.withLock { state -> CheckedContinuation<StoredEntry?, any Error>? in
                guard case .awaited = state else { return nil }
                return state.settle(nil)
            }
            caller?.resume(throwing: CancellationError())
        }
    }
}

/// How long the look-ups in progress have taken.
///
/// Time comes in ticks, so that one timer does for all of them; a timer for each costs more than the look-up.
struct LookUpTimes: Sendable {
    /// The time from one tick to the next; a look-up is late between four and five ticks after it began.
    static let tick = Duration.seconds(1)
    private static let fullTicks = 4

    private var pending: [UInt64: PendingLookUp] = [:]
    /// The latest number at each of the latest ticks, the oldest first.
    private var marks: [UInt64] = []

    var isEmpty: Bool { pending.isEmpty }

    /// Adds the look-up `number`, which is above all before it.
    mutating func add(_ lookUp: PendingLookUp, _ number: UInt64) {
        pending[number] = lookUp
    }

    /// Removes a look-up that has ended.
    mutating func remove(_ number: UInt64) {
        pending[number] = nil
    }

    /// Records that a tick has passed, up to the look-up `latest`, and returns the late look-ups.
    mutating func pass(latest: UInt64) -> [PendingLookUp] {
        marks.append(latest)
        guard marks.count > Self.fullTicks else { return [] }
        let mark = marks.removeFirst()
        let late = pending.filter { $0.key <= mark }
        for number in late.keys { pending[number] = nil }
        return late.sorted { $0.key < $1.key }.map(\.value)
    }
}
