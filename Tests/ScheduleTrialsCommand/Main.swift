internal import CalotypePlatform
internal import ScheduleTrials
internal import TaskFlowTesting

/// Explores our scenarios, for the soak, and repeats what failed: see `script/soak schedules`.
@main
enum Main {
    static func main() {
        let arguments = [String](CommandLine.arguments.dropFirst())
        switch arguments.first {
        case "list": for scenario in ScheduleScenario.all { print(scenario.name) }
        case "explore": explore(arguments)
        case "replay": replay(arguments)
        default:
            print("usage: ScheduleTrialsCommand list | explore SCENARIO FIRST COUNT | replay SCENARIO REPLAY")
        }
    }

    private static func explore(_ arguments: [String]) {
        guard arguments.count == 4, let first = UInt64(arguments[2]), let count = UInt64(arguments[3]) else {
            fail("explore takes a scenario, its first seed and how many")
        }
        let scenario = scenario(arguments[1])
        CrashNotice.install(scenario.name)
        do { try scenario.explore(seeds: first..<first + count, onSeed: CrashNotice.tell) } catch {
            fail("\(error)")
        }
    }

    private static func replay(_ arguments: [String]) {
        guard arguments.count == 3, let replay = ScheduleReplay(arguments[2]) else {
            fail("replay takes a scenario, and what a failure prints after 'replay'")
        }
        do { try scenario(arguments[1]).replay(replay) } catch { fail("\(error)") }
        print("it does not fail")
    }

    private static func scenario(_ name: String) -> ScheduleScenario {
        guard let scenario = ScheduleScenario.all.first(where: { $0.name == name }) else {
            fail("there is no scenario '\(name)'")
        }
        return scenario
    }

    private static func fail(_ text: String) -> Never {
        print(text)
        exit(1)
    }
}
