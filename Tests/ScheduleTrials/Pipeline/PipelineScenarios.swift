import TaskFlowTesting

extension ScheduleScenario {
    static let pipeline: [ScheduleScenario] =
        [
            changingPictures, changingSizes, sharedWork, slots, previews, endings,
        ] + knownRaces

    private static let changingPictures = ScheduleScenario(
        "pictures change while they are loaded, reloaded and stored",
        reaches: ["cancelled before it began", "an answer was overtaken by a change of its source"],
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

    private static let endings = ScheduleScenario(
        "everything ends before the scope of its pipeline",
        reaches: ["a load comes after the end of its pipeline", "the next process finds a picture"],
        program: Endings.program,
        run: Endings.run
    )

    private static let knownRaces = [
        ScheduleScenario(
            "a response that comes late changes nothing",
            reaches: [
                "the cancel comes first", "the response comes first",
                "the end of the scope comes first", "the other response comes first",
            ],
            run: KnownRaces.lateResponse
        ),
        ScheduleScenario(
            "a load that is cancelled in its hook sends nothing",
            reaches: ["cancelled in the hook", "cancelled after the hook"],
            run: KnownRaces.cancelInHook
        ),
        ScheduleScenario(
            "what a prefetcher has not begun is stopped",
            reaches: ["stopped before it was sent"],
            run: KnownRaces.stopBeforeStart
        ),
        ScheduleScenario("the last priority counts", run: KnownRaces.priorityOrder),
        ScheduleScenario(
            "a load that finds its picture in memory tells its end",
            reaches: ["the second load shares the first", "the second load finds the picture"],
            run: KnownRaces.eventsOfHit
        ),
        ScheduleScenario(
            "a preview whose load is cancelled is not stored",
            reaches: ["cancelled with a preview"],
            run: KnownRaces.storedPreview
        ),
    ]
}
