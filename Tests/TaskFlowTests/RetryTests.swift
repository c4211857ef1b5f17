import TaskFlow
import TaskFlowTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct RetryTests {
    @Test func `the ceiling doubles up to the maximum, and jitter stays below it`() {
        let policy = RetryPolicy(baseDelay: .milliseconds(100), maximumDelay: .milliseconds(500))
        #expect((1...5).map(policy.ceiling) == [100, 200, 400, 500, 500].map { .milliseconds($0) })
        #expect(policy.ceiling(afterAttempt: .max) == .milliseconds(500))
        for _ in 0..<100 { #expect((.zero ... .seconds(1)).contains(RetryPolicy.fullJitter(.seconds(1)))) }
        #expect(RetryPolicy.fullJitter(.zero) == .zero)
    }

    @Test func `it tries again after each pause until the attempts are used up`() async throws {
        let clock = ManualClock()
        let attempts = Recorder<Int>()
        let task = Task {
            try await retrying(RetryPolicy(maximumAttempts: 3), clock: clock, random: { $0 }) { attempt in
                attempts.record(attempt)
                throw Failure(number: attempt)
            }
        }
        for pause in [200, 400] {
            try await clock.waitForSleepers(1)
            clock.advance(by: .milliseconds(pause - 1))
            #expect(clock.sleepers == 1)
            clock.advance(by: .milliseconds(1))
        }
        await #expect(throws: Failure(number: 3)) { try await task.value }
        #expect(attempts.values == [1, 2, 3])
    }

    @Test func `it returns the first success`() async throws {
        let value = try await retrying(RetryPolicy(), random: { _ in .zero }) { attempt in
            if attempt < 3 { throw Failure() }
            return attempt
        }
        #expect(value == 3)
    }

    @Test func `cancellation is never retried, the operation's or the caller's`() async throws {
        let clock = ManualClock()
        let attempts = Recorder<Int>()
        await #expect(throws: CancellationError.self) {
            try await retrying(RetryPolicy(), clock: clock) { attempt in
                attempts.record(attempt)
                throw CancellationError()
            }
        }
        let task = Task {
            try await retrying(RetryPolicy(), clock: clock, random: { $0 }) { attempt in
                attempts.record(attempt)
                throw Failure()
            }
        }
        try await clock.waitForSleepers(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(attempts.values == [1, 1])
    }

    @Test func `a pause that would reach past the budget throws the last error immediately`() async throws {
        let clock = ManualClock()
        let policy = RetryPolicy(maximumAttempts: 9, budget: .milliseconds(500))
        let task = Task {
            try await retrying(policy, clock: clock, random: { $0 }) { throw Failure(number: $0) }
        }
        try await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(200))
        await #expect(throws: Failure(number: 2)) { try await task.value }
        #expect(clock.now.offset == .milliseconds(200))
    }

    @Test func `an error may stop it, or ask for a pause that the budget still bounds`() {
        let policy = RetryPolicy(maximumDelay: .seconds(1), budget: .seconds(60)) { error, _ in
            switch error as? Failure {
            case Failure(number: 1): .stop
            case Failure(number: 2): .retryAfter(.seconds(30))
            case Failure(number: 3): .retryAfter(.seconds(90))
            default: .retry
            }
        }
        func pause(_ number: Int) -> Duration? {
            policy.pause(after: Failure(number: number), attempt: 1, elapsed: .zero, random: { $0 })
        }
        #expect(pause(1) == nil)
        #expect(pause(2) == .seconds(30))
        #expect(pause(3) == nil)
        #expect(pause(4) == .milliseconds(200))
    }
}
