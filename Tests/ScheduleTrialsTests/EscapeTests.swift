import CalotypeHTTP
import TaskFlowTesting
import Testing

/// Parts of ours that a schedule cannot hold.
struct EscapeTests {
    @Test func `libcurl's thread fails a schedule and is named`() throws {
        let failure = try #require(throws: ScheduleError.self) {
            try withDeterministicSchedule(seed: 1) {
                var configuration = CurlConfiguration()
                configuration.readyPolicies = [.any]
                try await withCurlTransport(configuration) { _ in }
            }
        }
        #expect(failure.message.hasPrefix("left the schedule: a thread of its own was started: 'http"))
    }
}
