import TaskFlowTesting

extension ScheduleScenario {
    static let pipeline: [ScheduleScenario] = []
}
