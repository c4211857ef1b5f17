import TaskFlowTesting

extension ScheduleScenario {
    static let pipeline: [ScheduleScenario] = [changingPictures]

    private static let changingPictures = ScheduleScenario(
        "pictures change while they are loaded, reloaded and stored",
        reaches: ["cancelled before it began"],
        program: ChangingPictures.program,
        run: ChangingPictures.run
    )
}
