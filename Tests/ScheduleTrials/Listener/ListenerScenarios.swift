import TaskFlowTesting

extension ScheduleScenario {
    static let exchanges = ScheduleScenario(
        "each request is answered once or its work is cancelled, whoever leaves, stops or drains",
        reaches: [
            "a client has left before its answer", "a drain waits for an answer",
            "the task of a request is cancelled",
        ],
        program: ListenerOperation.program
    ) { try await ListenerTrial($0).run() }
}
