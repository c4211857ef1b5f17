import TaskFlowTesting

extension ScheduleScenario {
    static let publish: [ScheduleScenario] = []
}
