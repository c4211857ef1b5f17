internal import CalotypeStore
internal import TaskFlowTesting

extension ScheduleScenario {
    /// What went wrong once, in as few steps as it takes.
    static let writeBehindFindings = [
        finding("a removal is made though one change takes all the room") {
            $0.take(0, .replace(version: 1, length: 2000))
            $0.take(1, .remove)
            $0.take(1, .read)
            $0.room(949)
        },
        finding("a flush waits for removals too") {
            $0.take(0, .replace(version: 1, length: 4))
            $0.take(0, .remove, after: 3)
            $0.take(0, .flush)
            $0.call(2, .slow(.milliseconds(2), .milliseconds(2)))
        },
        finding("metadata is never read with another entry's bytes") {
            $0.take(0, .metadata(version: 1))
            $0.take(0, .replace(version: 2, length: 4))
            $0.take(1, .read)
        },
        finding("a value that follows a refused removal is kept") {
            $0.take(0, .replace(version: 1, length: 4))
            $0.take(0, .remove, after: 3)
            $0.take(0, .store(version: 2, length: 4))
            $0.take(1, .read, after: 6)
            $0.call(2, .refusesBefore)
        },
        finding("those that wait for room take none") {
            $0.take(0, .replace(version: 1, length: 4))
            $0.take(0, .waitForRoom)
            $0.take(1, .store(version: 2, length: 100))
            $0.room(434)
        },
    ]

    private static func finding(_ name: String, _ add: (inout WriteBehindPlan) -> Void) -> ScheduleScenario {
        var plan = WriteBehindPlan()
        add(&plan)
        let steps = plan.steps
        return ScheduleScenario(name, program: { _ in steps }, run: WriteBehindRun.run)
    }
}

/// Steps of a program that is written down.
private struct WriteBehindPlan {
    private(set) var steps: [WriteBehindStep] = []

    mutating func take(_ task: Int, _ action: WriteBehindStep.Action, after pause: Int = 0) {
        steps.append(WriteBehindStep(task: task, pause: pause, key: StoreKey("a"), action: action))
    }

    mutating func room(_ bytes: Int) { take(0, .room(bytes: bytes)) }
    mutating func call(_ number: Int, _ manner: ScriptedStore.Manner) {
        take(0, .manner(call: number, manner))
    }
}
