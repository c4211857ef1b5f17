internal import TaskFlow

/// The work that waits for a reader, in the order in which it came.
///
/// Each piece belongs to one caller that waits for it, and leaves the queue when the caller is cancelled.
final class ReadQueue: Sendable {
    /// A piece of work; it gets no reader if there is none.
    typealias Job = @Sendable (IndexReader?) -> Void

    private struct State {
        var jobs: [UInt64: Job] = [:]
        var lastID: UInt64 = 0
        /// All jobs up to this one were taken or withdrawn.
        var head: UInt64 = 0
        /// Whether readers are there, or will be soon.
        var isOpen = true
        var idle: [CheckedContinuation<Job?, Never>] = []
        /// How often readers have been sent away.
        var round = 0
        var lookUps = LookUpTimes()
        /// Resumed by the next look-up, for which a time has to be kept.
        var watch: CheckedContinuation<Void, Never>?

        /// Takes in the job `id`, the latest.
        mutating func arrive(_ job: @escaping Job, _ id: UInt64) -> Arrival {
            guard isOpen else { return .refused }
            if let reader = idle.popLast() { return .handed(reader) }
            // The ones before it were handed over, and need not be looked for.
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

    /// The number of pieces of work that wait.
    var count: Int { state.withLock { $0.jobs.count } }

    /// Runs `work`, which may take long, on a reader's thread and returns what it returns.
    ///
    /// - Throws: `CancellationError`, at once, when the task is cancelled; the work may go on without it.
    func run<Output: Sendable>(_ work: @escaping @Sendable (IndexReader?) -> Output) async throws -> Output {
        let answer = Latch<Output>()
        let id = push { answer.set(work($0)) }
        do {
            return try await answer.wait()
        } catch {
            withdraw(id)
            throw error
        }
    }

    /// Runs a look-up on a reader's thread and returns what it finds; `nil` if that takes more than four to five seconds.
    ///
    /// A caller on the ``InlineExecutor`` goes on there.
    ///
    /// - Throws: `CancellationError`, at once, when the task is cancelled; the look-up may go on without it.
    func lookUp(_ work: @escaping @Sendable (IndexReader?) -> StoredEntry?) async throws -> StoredEntry? {
        try Task.checkCancellation()
        let answer = Latch<StoredEntry?>()
        let id = push(keepingTimeFor: answer) { reader in
            let entry = work(reader)
            InlineExecutor.shared.lendingThread { answer.set(entry) }
        }
        defer { withdraw(id) }
        return try await answer.wait()
    }

    private func push(keepingTimeFor answer: Latch<StoredEntry?>? = nil, _ job: @escaping Job) -> UInt64 {
        let (id, arrival, watch) = state.withLock { state in
            state.lastID += 1
            if let answer { state.lookUps.add(answer, state.lastID) }
            return (
                state.lastID, state.arrive(job, state.lastID), answer == nil ? nil : state.takeWatch()
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

    /// Takes out what may still wait, and keeps no more time for it.
    private func withdraw(_ id: UInt64) {
        let job = state.withLock { state in
            state.lookUps.remove(id)
            return state.jobs.removeValue(forKey: id)
        }
        withExtendedLifetime(job) {}
    }

    // MARK: Times

    /// Ends look-ups that are late, so that a disk that hangs holds nobody up, until the task is cancelled.
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
                    // Asked under the lock: a cancel before this is seen here, a later one finds the continuation.
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

    /// The number of the readers' round that begins now.
    func beginRound() -> Int {
        state.withLock { state in
            state.isOpen = true
            return state.round
        }
    }

    /// The next look-up; `nil` when the round is over.
    func next(in round: Int) async -> Job? {
        await withCheckedContinuation { (continuation: CheckedContinuation<Job?, Never>) in
            let answer = state.withLock { state -> Job?? in
                if state.round != round { return .some(nil) }
                if let job = state.takeFirst() { return .some(job) }
                state.idle.append(continuation)
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }

    /// Sends the readers away after what they are at; look-ups wait for the next ones.
    func endRound() {
        let idle = state.withLock { state in
            state.round += 1
            defer { state.idle = [] }
            return state.idle
        }
        for reader in idle { reader.resume(returning: nil) }
    }

    /// Answers all look-ups, and those to come until the next round, without a reader.
    func close() {
        let jobs = state.withLock { state in
            state.isOpen = false
            defer { state.jobs = [:] }
            return state.jobs
        }
        for job in jobs.values { job(nil) }
    }
}

/// How long the look-ups under way have taken.
///
/// Time comes in ticks, so that one timer does for all of them; a timer for each costs more than the look-up.
struct LookUpTimes: Sendable {
    /// The time from one tick to the next; a look-up is late between four and five ticks after it began.
    static let tick = Duration.seconds(1)
    private static let fullTicks = 4

    private var answers: [UInt64: Latch<StoredEntry?>] = [:]
    /// The latest number at each of the latest ticks, the oldest first.
    private var marks: [UInt64] = []

    var isEmpty: Bool { answers.isEmpty }

    /// Adds the look-up `number`, which is above all before it.
    mutating func add(_ answer: Latch<StoredEntry?>, _ number: UInt64) {
        answers[number] = answer
    }

    /// Removes a look-up that has ended.
    mutating func remove(_ number: UInt64) {
        answers[number] = nil
    }

    /// Notes that a tick has passed, up to the look-up `latest`, and returns the answers of those that are late.
    mutating func pass(latest: UInt64) -> [Latch<StoredEntry?>] {
        marks.append(latest)
        guard marks.count > Self.fullTicks else { return [] }
        let mark = marks.removeFirst()
        let late = answers.filter { $0.key <= mark }
        for number in late.keys { answers[number] = nil }
        return late.sorted { $0.key < $1.key }.map(\.value)
    }
}
