public import TaskFlowTesting

extension ScheduleScenario {
    /// Every scenario of ours.
    public static let all: [ScheduleScenario] = flow + store + pipeline + [posts, exchanges]

    private static let flow: [ScheduleScenario] = [
        latch, latestValues, gate, flights, jobs, crossingJobs, callbacks, performing, results, scopes,
        threads, lifts,
    ]

    private static let store: [ScheduleScenario] =
        [writeBehind, disk, memory, partial] + writeBehindFindings + diskFindings + [partialFinding]
}
