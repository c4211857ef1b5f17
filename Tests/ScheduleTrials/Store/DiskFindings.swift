internal import CalotypeStore
internal import TaskFlowTesting

extension ScheduleScenario {
    /// What went wrong once, in as few steps as it takes.
    static let diskFindings = [
        finding("a value on the disk is not hidden by one that was stored later") {
            $0.take(0, .store(version: 1, length: 200))
            $0.take(1, .store(version: 2, length: 4))
            $0.take(1, .flush)
            $0.take(0, .read)
        },
        finding("metadata that is staged is never found with another entry's bytes") {
            $0.take(2, .metadata(version: 1))
            $0.take(1, .read, after: 1)
            $0.take(0, .replace(version: 2, length: 4), after: 1)
            $0.take(0, .flush)
        },
        finding("a check calls no entry wrong that goes meanwhile") {
            $0.take(0, .filled)
            $0.take(0, .verify)
            $0.take(1, .remove)
            $0.take(1, .flush)
        },
    ]

    private static func finding(_ name: String, _ add: (inout DiskPlan) -> Void) -> ScheduleScenario {
        var plan = DiskPlan()
        add(&plan)
        let steps = plan.steps
        return ScheduleScenario(name, program: { _ in steps }, run: DiskRun.run)
    }
}

/// Steps of a program that is written down.
private struct DiskPlan {
    private(set) var steps: [DiskStep] = []

    mutating func take(_ task: Int, _ action: DiskStep.Action, after pause: Int = 0) {
        steps.append(DiskStep(task: task, pause: pause, key: StoreKey("a"), action: action))
    }
}
