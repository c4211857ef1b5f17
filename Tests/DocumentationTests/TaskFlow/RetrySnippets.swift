import CalotypeTestKit
import TaskFlow
import Testing

@Suite(.timeLimit(.minutes(1))) struct RetrySnippets {
    private struct ServerBusy: Error {
        var pause: Duration
    }

    private struct NotFound: Error {}

    private let url = "https://example.org/"

    private func download(_ url: String) async throws -> String { url }
    private func render(_ page: String) async throws -> Int { page.utf8.count }
    private func hang() async throws { try await Event().wait() }

    @Test func `it tries again`() async throws {
        // snippet: Retries.retrying
        let page = try await retrying(RetryPolicy(maximumAttempts: 4, budget: .seconds(30))) { attempt in
            try await download(url)
        }
        // end
        #expect(page == url)
    }

    @Test func `the policy decides by the error`() {
        // snippet: Retries.policy
        let policy = RetryPolicy { error, attempt in
            switch error {
            case let busy as ServerBusy: .retryAfter(busy.pause)
            case is NotFound: .stop
            default: .retry
            }
        }
        // end
        #expect(policy.decide(ServerBusy(pause: .seconds(3)), 1) == .retryAfter(.seconds(3)))
        #expect(policy.decide(NotFound(), 1) == .stop)
        #expect(policy.decide(TaskFlowError.deadlineExceeded, 1) == .retry)
    }

    @Test func `an operation has so much time`() async throws {
        // snippet: Retries.timeout
        let page = try await withTimeout(.seconds(10)) {
            try await download(url)
        }
        // end
        #expect(page == url)
    }

    @Test func `several steps share a deadline`() async throws {
        // snippet: Retries.deadline
        let deadline = ContinuousClock.now + .seconds(10)
        let page = try await withDeadline(deadline) { try await download(url) }
        let picture = try await withDeadline(deadline) { try await render(page) }
        // end
        #expect(picture == 20)
    }

    @Test func `a test moves the clock`() async throws {
        // snippet: Retries.test
        let clock = ManualClock()
        let outcome = Task { try await withTimeout(.seconds(10), clock: clock) { try await hang() } }
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(10))
        await #expect(throws: TaskFlowError.deadlineExceeded) { try await outcome.value }
        // end
    }
}
