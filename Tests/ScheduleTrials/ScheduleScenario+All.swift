public import TaskFlowTesting

extension ScheduleScenario {
    /// Every scenario of ours.
    public static let all: [ScheduleScenario] = flow + store + pipeline + publish + listener
}
