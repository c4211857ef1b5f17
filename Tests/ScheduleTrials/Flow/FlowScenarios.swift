import TaskFlowTesting

extension ScheduleScenario {
    static let flow: [ScheduleScenario] = [
        latch, gate, flights, jobs, crossingJobs, callbacks, performing, results, scopes, threads, lifts,
    ]
}
