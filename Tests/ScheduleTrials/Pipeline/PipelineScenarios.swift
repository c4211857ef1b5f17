import TaskFlowTesting

extension ScheduleScenario {
    static let pipeline: [ScheduleScenario] = [changingPictures, changingSizes, sharedWork, slots, previews]

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

    private static let sharedWork = ScheduleScenario(
        "nothing is loaded or made twice",
        reaches: ["a load shares the work of another", "a load finds its picture in memory"],
        program: SharedWork.program,
        run: SharedWork.run
    )

    private static let slots = ScheduleScenario(
        "a slot shows what was asked for last",
        reaches: ["another picture is wanted while one is loading"],
        program: Slots.program,
        run: Slots.run
    )

    private static let previews = ScheduleScenario(
        "a preview is never the finished picture",
        reaches: ["a preview is shown"],
        program: Previews.program,
        run: Previews.run
    )
}
