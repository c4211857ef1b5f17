import CalotypeCPOSIX
import CalotypeCore
import CalotypeFiles
import CalotypePlatform
import TaskFlow

/// Waits for many sockets on one thread.
///
/// A task waits until its socket is ready or a deadline passes.
final class Reactor: Sendable {
    /// What a task waits for.
    enum Interest: Int32 {
        case readable = 1, writable = 2
        /// Waits only for the peer to close or reset. Data that arrives does not end the wait.
        case hangUp = 4
    }

    /// Why a wait ended.
    enum Outcome: Sendable {
        case ready, timedOut
    }

    private typealias Waiter = CheckedContinuation<Outcome, any Error>

    private struct Wait {
        let waiter: Waiter
        let deadline: ContinuousClock.Instant?
    }

    private struct State {
        var waits: [UInt64: Wait] = [:]
        var lastNumber = wakeNumber
        /// No deadline is earlier.
        ///
        /// It may belong to a wait that has ended, which costs one check too many.
        var nextDeadline: ContinuousClock.Instant?
        var isEnding = false
    }

    /// The number of the events that only wake the thread.
    private static let wakeNumber: UInt64 = 0

    private let epoll: Int32
    private let wakeUp: WakeUp
    private let state = Guarded(State())

    /// Opens the descriptors.
    ///
    /// The owner calls ``close()`` after ``run()`` has returned.
    init() throws(CalotypeError) {
        do throws(SystemError) { wakeUp = try WakeUp() } catch {
            throw CalotypeError(.connectFailed, error.description, stage: .connect, cause: error)
        }
        epoll = calotype_epoll_create()
        guard epoll >= 0 else { throw CalotypeError.socket("no epoll descriptor") }
        guard calotype_epoll_watch(epoll, wakeUp.descriptor, 1, 1, Self.wakeNumber) == 0 else {
            defer { CalotypePlatform.close(epoll) }
            throw CalotypeError.socket("the event counter cannot be watched")
        }
    }

    func close() {
        wakeUp.close()
        CalotypePlatform.close(epoll)
    }

    /// Serves the waits until ``end()``.
    ///
    /// Blocks the calling thread.
    func run() {
        var numbers = [UInt64](repeating: 0, count: Int(calotype_epoll_batch))
        while !state.withLock({ $0.isEnding }) {
            let count = unsafe calotype_epoll_wait(epoll, &numbers, untilNextDeadline())
            for number in numbers.prefix(max(0, Int(count))) {
                number == Self.wakeNumber ? wakeUp.take() : settle(number, .success(.ready))
            }
            expire(ContinuousClock.now)
        }
    }

    /// Makes ``run()`` return.
    ///
    /// No wait may be in progress.
    func end() {
        state.withLock { $0.isEnding = true }
        wakeUp.wake()
    }

    /// Waits until `socket` is ready or `deadline` passes.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    func wait(
        for interest: Interest,
        on socket: Int32,
        until deadline: ContinuousClock.Instant? = nil
    ) async throws -> Outcome {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                register(number, Wait(waiter: waiter, deadline: deadline), interest, socket)
            }
        } onCancel: {
            settle(number, .failure(CancellationError()))
        }
    }

    private func register(_ number: UInt64, _ wait: Wait, _ interest: Interest, _ socket: Int32) {
        let isEarliest = state.withLock { state in
            state.waits[number] = wait
            guard let deadline = wait.deadline else { return false }
            if let next = state.nextDeadline, next <= deadline { return false }
            state.nextDeadline = deadline
            return true
        }
        if calotype_epoll_watch(epoll, socket, interest.rawValue, 0, number) != 0 {
            settle(number, .failure(CalotypeError.socket("a socket cannot be watched")))
        }
        // A cancellation that arrived before the wait was in the table found nothing there to end.
        if Task.isCancelled { settle(number, .failure(CancellationError())) }
        if isEarliest { wakeUp.wake() }
    }

    /// Ends a wait.
    ///
    /// Does nothing if it has already ended, even if its socket's descriptor was reused.
    private func settle(_ number: UInt64, _ result: Result<Outcome, any Error>) {
        state.withLock { $0.waits.removeValue(forKey: number) }?.waiter.resume(with: result)
    }

    private func expire(_ now: ContinuousClock.Instant) {
        let due = state.withLock { state -> [UInt64] in
            guard let next = state.nextDeadline, next <= now else { return [] }
            let pending = state.waits.filter { $0.value.deadline != nil }
            state.nextDeadline = pending.values.compactMap(\.deadline).filter { $0 > now }.min()
            return pending.filter { ($0.value.deadline ?? now) <= now }.map(\.key)
        }
        for number in due { settle(number, .success(.timedOut)) }
    }

    /// The time to the next deadline in milliseconds, rounded up; -1 for no deadline.
    private func untilNextDeadline() -> Int32 {
        guard let next = state.withLock({ $0.nextDeadline }) else { return -1 }
        let left = max(.zero, next - .now)
        let milliseconds =
            left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000 + 1
        return Int32(clamping: milliseconds)
    }
}
