import TaskFlowTesting

extension ScheduleScenario {
    static let listener: [ScheduleScenario] = []
}
