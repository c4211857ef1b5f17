import CalotypeCore
import CalotypePlatform
import Testing

@testable import CalotypeOrigin

@Suite(.timeLimit(.minutes(1)))
struct ReactorTests {
    @Test func `a wait ends when the socket is ready`() async throws {
        try await withPair { reactor, near, far in
            async let outcome = reactor.wait(for: .readable, on: near)
            LifetimeTests.write("x", to: far)
            let reason = try await outcome
            #expect(reason == .ready)
        }
    }

    @Test func `a wait ends at its deadline, the earlier one first`() async throws {
        try await withPair { reactor, near, far in
            let start = ContinuousClock.now
            async let late = reactor.wait(for: .readable, on: near, until: start + .milliseconds(60))
            let early = try await reactor.wait(for: .readable, on: far, until: start + .milliseconds(20))
            #expect(early == .timedOut)
            #expect(ContinuousClock.now - start >= .milliseconds(20))
            let last = try await late
            #expect(last == .timedOut)
            #expect(ContinuousClock.now - start >= .milliseconds(60))
        }
    }

    @Test func `a wait in a cancelled task ends immediately`() async throws {
        try await withPair { reactor, near, _ in
            await withTaskGroup(of: Void.self) { group in
                group.cancelAll()
                group.addTask {
                    await #expect(throws: CancellationError.self) {
                        try await reactor.wait(for: .readable, on: near)
                    }
                }
            }
        }
    }

    /// Nothing orders the two but a growing number of turns, so that some cancellations come before the wait, some
    /// while it registers and some after.
    @Test func `a cancellation at any moment ends the wait`() async throws {
        try await withPair { reactor, near, _ in
            for round in 0..<2000 {
                await withThrowingTaskGroup(of: Reactor.Outcome.self) { group in
                    group.addTask { try await reactor.wait(for: .readable, on: near) }
                    for _ in 0..<round % 20 { await Task.yield() }
                    group.cancelAll()
                    await #expect(throws: CancellationError.self) { try await group.next() }
                }
            }
        }
    }

    @Test func `what a cancelled wait waited for does not end the next one`() async throws {
        try await withPair { reactor, near, far in
            await withThrowingTaskGroup(of: Reactor.Outcome.self) { group in
                group.addTask { try await reactor.wait(for: .readable, on: near) }
                group.cancelAll()
            }
            LifetimeTests.write("x", to: far)
            let next = try await reactor.wait(for: .hangUp, on: near, until: .now + .milliseconds(20))
            #expect(next == .timedOut)
        }
    }

    @Test func `what is no socket is an error`() async throws {
        try await withPair { reactor, _, _ in
            await #expect(throws: CalotypeError.self) { try await reactor.wait(for: .readable, on: -1) }
        }
    }

    /// Runs `body` with a reactor and the two ends of a connection.
    private func withPair(_ body: (Reactor, Int32, Int32) async throws -> Void) async throws {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        try #require(unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        try await withReactor { try await body($0, ends[0], ends[1]) }
    }
}
