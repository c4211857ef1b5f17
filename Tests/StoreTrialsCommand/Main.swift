internal import CalotypeCore
import CalotypeFiles
internal import CalotypePlatform
internal import StoreTrials

/// Trials of the disk cache: see `script/soak` and `script/bench store`.
@main
enum Main {
    static func main() async throws {
        var arguments = [String](CommandLine.arguments.dropFirst())
        let command = arguments.isEmpty ? "" : arguments.removeFirst()
        switch command {
        case "soak": try await soak(arguments)
        case "soak-writer": try await write(arguments)
        case "bench": try await StoreBenchmark.run(arguments)
        default: print("usage: StoreTrialsCommand soak [ROUNDS [SEED]] | bench [PART...]")
        }
    }

    private static func soak(_ arguments: [String]) async throws {
        let rounds = arguments.first.flatMap { Int($0) } ?? 1000
        let seed = arguments.dropFirst().first.flatMap { UInt64($0) } ?? UInt64.random(in: 1...1_000_000)
        let folder = try TrialFolder("soak")
        try say("soak store: \(rounds) rounds, seed \(seed)")
        var run = SoakRun(SoakSettings(folder: folder.path, seed: seed), rounds: rounds)
        do {
            try await run.run { round in
                if round % 100 == 0 { try say("  \(round) rounds") }
            }
        } catch {
            // The folder stays for whoever looks into it.
            try say("  failed in \(error)\n  the folder is \(folder.path)")
            exit(1)
        }
        try say("  \(run.summary)")
    }

    /// Tells at once, wherever it goes: a long run is watched.
    private static func say(_ line: String) throws {
        try OpenFile(descriptor: 1, isOwned: false).write([UInt8]("\(line)\n".utf8))
    }

    private static func write(_ arguments: [String]) async throws {
        guard arguments.count == 3, let seed = UInt64(arguments[1]), let round = Int(arguments[2]) else {
            return
        }
        let settings = SoakSettings(folder: arguments[0], seed: seed)
        try await SoakWriter(settings, round: round, output: OpenFile(descriptor: 1, isOwned: false)).run()
    }
}
