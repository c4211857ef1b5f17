import TaskFlow
import TaskFlowTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct DeadlineTests {
    private let clock = ManualClock()

    @Test func `an operation that ends in time gives its value or its error`() async throws {
        #expect(try await withTimeout(.seconds(1), clock: clock) { 5 } == 5)
        await #expect(throws: Failure.self) {
            try await withTimeout(.seconds(1), clock: clock) { throw Failure() }
        }
        #expect(clock.sleepers == 0)
    }

    @Test func `when the time is up the operation is cancelled and awaited`() async throws {
        let ended = Event()
        let never = Event()
        let clock = clock
        let outcome = Task {
            try await withTimeout(.seconds(1), clock: clock) {
                try? await never.wait()
                ended.signal()
            }
        }
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        await #expect(throws: TaskFlowError.deadlineExceeded) { try await outcome.value }
        #expect(ended.hasHappened)
    }

    @Test func `a caller's cancellation is passed on and stays CancellationError`() async throws {
        let never = Event()
        let clock = clock
        let task = Task { try await withTimeout(.seconds(1), clock: clock) { try await never.wait() } }
        try await clock.waitForSleepers(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.sleepers == 0)
    }

    @Test func `a deadline is a moment, and one that is past lets nothing start`() async throws {
        let clock = clock
        let never = Event()
        let deadline = clock.now.advanced(by: .seconds(3))
        let outcome = Task { try await withDeadline(deadline, clock: clock) { try await never.wait() } }
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(3))
        await #expect(throws: TaskFlowError.deadlineExceeded) { try await outcome.value }
        await #expect(throws: TaskFlowError.deadlineExceeded) {
            try await withDeadline(deadline, clock: clock) { Issue.record("it ran") }
        }
        await #expect(throws: TaskFlowError.deadlineExceeded) {
            try await withTimeout(.zero, clock: clock) { Issue.record("it ran") }
        }
    }
}
