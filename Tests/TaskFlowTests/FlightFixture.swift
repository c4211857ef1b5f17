import TaskFlow
import TaskFlowTesting
import Testing

/// A coalescer whose flights begin, wait for the test, and end.
struct FlightFixture: Sendable {
    let scope: TaskScope
    let flights: Coalescer<String, Int>
    let begun = Recorder<LivePriority>()
    let ended = Recorder<Bool>()
    let go = Event()

    init(_ scope: TaskScope) {
        self.scope = scope
        flights = Coalescer(scope: scope, name: "flight")
    }

    func load(_ key: String = "a", priority: WorkPriority = .normal) -> Task<Int, any Error> {
        Task { try await flights.value(for: key, priority: priority) { try await fly($0) } }
    }

    func fly(_ context: FlightContext) async throws -> Int {
        begun.record(context.priority)
        defer { ended.record(Task.isCancelled) }
        try await go.wait()
        return begun.count
    }

    func waiters(_ count: Int) async throws {
        try await waitUntil { flights.waiterCount == count }
    }

    func expectQuiet() async throws {
        try await waitUntil { flights.flightCount == 0 }
        #expect(flights.waiterCount == 0)
    }
}
