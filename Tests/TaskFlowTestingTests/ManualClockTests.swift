import TaskFlowTesting
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ManualClockTests {
    @Test func `a sleeper is distinguished from others by the time it wakes`() async throws {
        let clock = ManualClock()
        async let tick: Void = clock.sleep(for: .seconds(1))
        try await clock.waitForSleeper(wakingIn: .seconds(1))
        let isLooking = Event()
        async let found: Void = {
            isLooking.signal()
            try await clock.waitForSleeper(wakingIn: .seconds(30))
        }()
        try await isLooking.wait()
        // Neither the first sleeper counts, nor one that wakes at another time.
        clock.advance(by: .milliseconds(500))
        async let late: Void = clock.sleep(until: ManualClock.Instant(offset: .seconds(30)))
        try await clock.waitForSleeper(wakingIn: .milliseconds(29_500))
        async let rest: Void = clock.sleep(for: .seconds(30))
        try await found
        #expect(clock.sleepers == 3)
        clock.advance(by: .seconds(31))
        _ = try await (tick, late, rest)
        #expect(clock.sleepers == 0)
    }

    @Test func `waiting for a sleeper ends when the task is cancelled`() async {
        let waiting = Task { try await ManualClock().waitForSleeper(wakingIn: .seconds(1)) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }
}
