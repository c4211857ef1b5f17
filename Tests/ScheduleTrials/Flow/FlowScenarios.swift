import TaskFlow
import TaskFlowTesting

extension ScheduleScenario {
    static let flow: [ScheduleScenario] = [
        latch, gate, flights, jobs, crossingJobs, callbacks, performing, results, scopes, threads,
    ]

    private static let latch = ScheduleScenario(
        "a latch wakes all who wait, or lets the cancelled go",
        reaches: ["cancelled while it waits"]
    ) {
        let latch = Latch<Int>()
        let tasks = (0..<3).map { index in
            Task(name: "waiter \(index)") { try await latch.wait() }
        }
        async let cancelled: Void = tasks[0].cancel()
        async let set: Void = latch.set(7)
        _ = await (cancelled, set)
        for task in tasks {
            switch await task.result {
            case .success(let value):
                guard value == 7 else { throw ScheduleViolation("a waiter got \(value)") }
            case .failure:
                guard task == tasks[0] else {
                    throw ScheduleViolation("a waiter failed that was not cancelled")
                }
                sometimes("cancelled while it waits")
            }
        }
    }
}
