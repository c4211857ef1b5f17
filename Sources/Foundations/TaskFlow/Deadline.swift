/// Runs `operation`, and cancels it if it takes longer than `timeout`.
///
/// Returns only after the operation has ended, even after a timeout. Cancelling the caller cancels the
/// operation too.
///
/// - Parameters:
///   - timeout: The time limit; with zero or less, nothing starts.
///   - clock: The clock that measures it.
///   - operation: The work; it runs as a child task.
/// - Returns: What `operation` returns.
/// - Throws: `deadline_exceeded` if time ran out first, whatever the operation then did; otherwise what it
///   throws.
public func withTimeout<Output: Sendable>(
    _ timeout: Duration,
    clock: any Clock<Duration> = ContinuousClock(),
    operation: @escaping @Sendable () async throws -> Output
) async throws -> Output {
    guard timeout > .zero else { throw TaskFlowError.deadlineExceeded }
    return try await race(operation) { try await clock.sleep(for: timeout) }
}

/// Runs `operation`, and cancels it if `deadline` passes first.
///
/// Returns only after the operation has ended, even after the deadline. Cancelling the caller cancels the
/// operation too.
///
/// - Parameters:
///   - deadline: When time runs out; nothing starts if it has passed already.
///   - clock: The clock that measures it.
///   - operation: The work; it runs as a child task.
/// - Returns: What `operation` returns.
/// - Throws: `deadline_exceeded` if time ran out first, whatever the operation then did; otherwise what it
///   throws.
public func withDeadline<C: Clock<Duration>, Output: Sendable>(
    _ deadline: C.Instant,
    clock: C = ContinuousClock(),
    operation: @escaping @Sendable () async throws -> Output
) async throws -> Output {
    guard clock.now < deadline else { throw TaskFlowError.deadlineExceeded }
    return try await race(operation) { try await clock.sleep(until: deadline, tolerance: nil) }
}

private enum Finish<Output: Sendable>: Sendable {
    case operation(Result<Output, any Error>)
    /// Time is up or, if false, the timer was cancelled first.
    case timer(isUp: Bool)
}

private func race<Output: Sendable>(
    _ operation: @escaping @Sendable () async throws -> Output,
    timer: @escaping @Sendable () async throws -> Void
) async throws -> Output {
    let result: Result<Output, any Error> = await withTaskGroup(of: Finish<Output>.self) { group in
        group.addTask {
            do {
                return .operation(.success(try await operation()))
            } catch {
                return .operation(.failure(error))
            }
        }
        group.addTask {
            do { try await timer() } catch { return .timer(isUp: false) }
            return .timer(isUp: true)
        }
        for await finish in group {
            switch finish {
            case .timer(isUp: false): continue
            case .timer(isUp: true):
                group.cancelAll()
                return .failure(TaskFlowError.deadlineExceeded)
            case .operation(let result):
                group.cancelAll()
                return result
            }
        }
        return .failure(CancellationError())
    }
    return try result.get()
}

/// Measures the time since it was started, on a clock of any kind.
@usableFromInline
package struct Stopwatch: Sendable {
    private let read: @Sendable () -> Duration

    /// Starts a stopwatch.
    package init(_ clock: any Clock<Duration>) {
        read = Self.started(clock)
    }

    /// The time since it was started.
    @usableFromInline
    package var now: Duration { read() }

    /// Opens the existential, so that instants are those of one clock.
    private static func started(_ clock: some Clock<Duration>) -> @Sendable () -> Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }
}
