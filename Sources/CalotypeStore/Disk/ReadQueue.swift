internal import TaskFlow

/// The look-ups that wait for a reader, in the order in which they came.
///
/// Each is of one caller that waits for it, and goes with the caller.
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
        let arrival = state.withLock { state -> Arrival in
            guard state.isOpen else { return .refused }
            if let reader = state.idle.popLast() { return .handed(reader) }
            state.lastID += 1
            state.jobs[state.lastID] = job
            return .queued(state.lastID)
        }
        switch arrival {
        case .queued(let id): return id
        case .handed(let reader): reader.resume(returning: job)
        case .refused: job(nil)
        }
        return nil
    }

    private func withdraw(_ id: UInt64) {
        let job = state.withLock { $0.jobs.removeValue(forKey: id) }
        withExtendedLifetime(job) {}
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
