import TaskFlowTesting

extension ScheduleScenario {
    static let pipeline: [ScheduleScenario] = [changingPictures, changingSizes]

    private static let changingPictures = ScheduleScenario(
        "pictures change while they are loaded, reloaded and stored",
        reaches: ["cancelled before it began"],
        program: ChangingPictures.program,
        run: ChangingPictures.run
    )

    private static let changingSizes = ScheduleScenario(
        "no size is made of an old source after a reload",
        program: ChangingPictures.smallProgram,
        run: ChangingPictures.run
    )
}
