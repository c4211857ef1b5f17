import TaskFlowTesting

extension ScheduleScenario {
    static let store: [ScheduleScenario] = [writeBehind, disk] + writeBehindFindings + diskFindings
}
