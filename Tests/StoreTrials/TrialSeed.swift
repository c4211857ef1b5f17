internal import CalotypePlatform
package import TaskFlow

/// The seed of one randomised test case, shown in its name and in its failures.
///
/// `CALOTYPE_SEED=7 swift test --filter …` runs only seed 7 of every such test.
package struct TrialSeed: Sendable, CustomStringConvertible {
    package let value: UInt64

    package var description: String { "CALOTYPE_SEED=\(value)" }
    package var random: SplitMix64 { SplitMix64(seed: value) }

    /// The seeds from zero on, or the one that the environment names.
    package static func seeds(_ count: UInt64) -> [TrialSeed] {
        let name = unsafe getenv("CALOTYPE_SEED").map { unsafe String(cString: $0) }
        if let seed = name.flatMap({ UInt64($0) }) { return [TrialSeed(value: seed)] }
        return (0..<count).map { TrialSeed(value: $0) }
    }
}
