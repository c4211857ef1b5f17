import ScheduleTrials
import TaskFlowTesting
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct ScheduleTrialsTests {
    @Test(arguments: ScheduleScenario.all)
    func `what must hold holds in every order`(scenario: ScheduleScenario) throws {
        try scenario.explore(seeds: 0..<2000)
    }
}
