internal import TaskFlow

/// The look-ups that wait for a reader, in the order in which they came.
///
/// Each is of one caller that waits for it, and goes with the caller; or it is promised to one who waits without a task.
final class ReadQueue: Sendable {
    /// A look-up; it is given no reader when there is none to be had.
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
        var promises = PromisedAnswers()
        /// What waits for a promise to watch.
        var watch: CheckedContinuation<Void, Never>?

        mutating func nextID() -> UInt64 {
            lastID += 1
            return lastID
        }

        /// Takes in the job `id`, the latest.
        mutating func arrive(_ job: @escaping Job, _ id: UInt64) -> Arrival {
            guard isOpen else { return .refused }
            if let reader = idle.popLast() { return .handed(reader) }
            // The ones before it were handed over, and need not be looked for.
            if jobs.isEmpty { head = id - 1 }
            jobs[id] = job
            return .queued(id)
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
        case queued(UInt64)
        case handed(CheckedContinuation<Job?, Never>)
        case refused
    }

    private let state = Guarded(State())

    /// The number of look-ups that wait.
    var count: Int { state.withLock { $0.jobs.count } }

    /// Runs `work` on a reader's thread and returns what it returns.
    ///
    /// - Throws: `CancellationError`, at once, when the task is cancelled; the work may go on without it.
    func run<Output: Sendable>(_ work: @escaping @Sendable (IndexReader?) -> Output) async throws -> Output {
        let answer = Latch<Output>()
        let id = push { answer.set(work($0)) }
        do {
            return try await answer.wait()
        } catch {
            if let id { withdraw(id) }
            throw error
        }
    }

    private func push(_ job: @escaping Job) -> UInt64? {
        let arrival = state.withLock { $0.arrive(job, $0.nextID()) }
        hand(job, to: arrival)
        guard case .queued(let id) = arrival else { return nil }
        return id
    }

    private func hand(_ job: @escaping Job, to arrival: Arrival) {
        switch arrival {
        case .queued: break
        case .handed(let reader): reader.resume(returning: job)
        case .refused: job(nil)
        }
    }

    private func withdraw(_ id: UInt64) {
        let job = state.withLock { $0.jobs.removeValue(forKey: id) }
        withExtendedLifetime(job) {}
    }

    // MARK: Promises

    /// Has `work` done on a reader's thread, for a caller who waits without a task.
    ///
    /// - Parameters:
    ///   - work: Finds the answer; not called where it is not its turn in time.
    ///   - answer: Called once, with what `work` has found, or by ``watchPromises(_:)`` with `nil`.
    /// - Returns: Whether `answer` is called; false where too many wait already.
    func promise(
        _ work: @escaping @Sendable (IndexReader?) -> StoredEntry?,
        _ answer: @escaping PromisedAnswers.Answer
    ) -> Bool {
        let made = state.withLock { state -> (Job, Arrival, watch: CheckedContinuation<Void, Never>?)? in
            let id = state.nextID()
            guard state.promises.promise(id, answer) else { return nil }
            let job: Job = { self.keepPromise(id, work($0)) }
            return (job, state.arrive(job, id), state.takeWatch())
        }
        guard let (job, arrival, watch) = made else { return false }
        hand(job, to: arrival)
        watch?.resume()
        return true
    }

    private func keepPromise(_ id: UInt64, _ entry: StoredEntry?) {
        let answer = state.withLock { $0.promises.take(id) }
        answer?(entry)
    }

    /// Answers what is promised and late, so that a disk that hangs holds nobody up, until the task is cancelled.
    ///
    /// It must not run on a reader's thread, which hangs with the disk.
    func watchPromises(_ clock: any Clock<Duration>) async {
        while await hasPromise() {
            do { try await clock.sleep(for: PromisedAnswers.tick) } catch { return }
            let late = state.withLock { state in
                let late = state.promises.pass(latest: state.lastID)
                for promise in late { state.jobs[promise.number] = nil }
                return late
            }
            for promise in late { promise.answer(nil) }
        }
    }

    /// Waits for a promise; false when the task is cancelled.
    private func hasPromise() async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let goesOn = state.withLock { state in
                    // Asked under the lock: a cancel before this is seen here, a later one finds the continuation.
                    if Task.isCancelled || !state.promises.isEmpty { return true }
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

/// The answers that are promised to callers who wait without a task, until they are given.
///
/// It is a value that decides: ``ReadQueue`` keeps it behind its lock. Time comes in ticks, so that one timer does for all
/// look-ups; a timer for each costs more than the look-up.
struct PromisedAnswers: Sendable {
    typealias Answer = @Sendable (StoredEntry?) -> Void

    /// The time from one tick to the next; an answer is given up between four and five ticks after it was promised.
    static let tick = Duration.seconds(1)
    /// The most answers that may be promised: as many as a disk that hangs can hold up.
    static let limit = 4_096
    private static let fullTicks = 4

    private var answers: [UInt64: Answer] = [:]
    /// The latest number at each of the latest ticks, the oldest first.
    private var marks: [UInt64] = []

    var isEmpty: Bool { answers.isEmpty }

    /// Keeps the answer to the look-up `number`, which is above all before it; false where there are too many.
    mutating func promise(_ number: UInt64, _ answer: @escaping Answer) -> Bool {
        guard answers.count < Self.limit else { return false }
        answers[number] = answer
        return true
    }

    /// The answer to the look-up `number`, for the one who gives it; `nil` where it was given up.
    mutating func take(_ number: UInt64) -> Answer? {
        answers.removeValue(forKey: number)
    }

    /// Takes note that time passes, up to the look-up `latest`, and gives up what is late.
    mutating func pass(latest: UInt64) -> [(number: UInt64, answer: Answer)] {
        marks.append(latest)
        guard marks.count > Self.fullTicks else { return [] }
        let mark = marks.removeFirst()
        let late = answers.filter { $0.key <= mark }
        for number in late.keys { answers[number] = nil }
        return late.map { ($0.key, $0.value) }
    }
}
