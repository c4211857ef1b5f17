import TaskFlowTesting

extension ScheduleScenario {
    static let store: [ScheduleScenario] =
        [writeBehind, disk, memory, partial] + writeBehindFindings + diskFindings + [partialFinding]
}
