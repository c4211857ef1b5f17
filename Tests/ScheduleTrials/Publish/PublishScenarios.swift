import TaskFlowTesting

extension ScheduleScenario {
    static let posts = ScheduleScenario(
        "a post is published once with each medium once, whatever is cut, cancelled or lost",
        reaches: [
            "a request is cancelled on its way to the server",
            "a request is cancelled after the server has carried it out", "a process has died",
        ],
        program: PostOperation.program
    ) { try await PostTrial($0).run() }
}
