internal import CalotypePlatform
import TaskFlowTesting

/// The seed of one randomised test case, shown in its name and in its failures.
///
/// `CALOTYPE_SEED=7 swift test --filter …` runs only seed 7 of every such test.
struct TestSeed: Sendable, CustomStringConvertible {
    let value: UInt64

    var description: String { "CALOTYPE_SEED=\(value)" }
    var random: ScheduleRandom { ScheduleRandom(seed: value) }

    /// The seeds from zero on, or the one that the environment names.
    static func seeds(_ count: UInt64) -> [TestSeed] {
        let name = unsafe getenv("CALOTYPE_SEED").map { unsafe String(cString: $0) }
        if let seed = name.flatMap({ UInt64($0) }) { return [TestSeed(value: seed)] }
        return (0..<count).map(TestSeed.init)
    }
}
