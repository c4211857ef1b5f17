internal import CalotypeCodec
internal import CalotypePlatform
internal import CodecTrials

/// Trials of the codec: see `script/soak codec`.
@main
enum Main {
    private static let usage = """
        usage: CodecTrialsCommand damage SMALL_FILES [FLIPS [SEED [libvips|workers]]]
               CodecTrialsCommand reads SMALL_FILES [COUNT [SEED]]
               CodecTrialsCommand crowd PICTURES SMALL_FILES [COUNT [SEED [libvips|workers]]]
        """
    /// How often a crowd tells how far it is.
    private static let reports = 20
    /// What a process may have grown by from the first fifth of a crowd to its end: heaps breathe.
    private static let mostGrowth = 48 << 20

    static func main() async throws {
        DecoderWorker.serveIfAsked()
        MemoryArenas.limit()
        var words = Array(CommandLine.arguments.dropFirst())
        var configuration = ImageCodecConfiguration()
        configuration.threads = Lanes.count
        if words.last == "libvips" {
            configuration.usesLibvipsOnly = true
            words.removeLast()
        } else if words.last == "workers" {
            configuration.isolation = .all
            words.removeLast()
        }
        let command = words.isEmpty ? "" : words.removeFirst()
        let isFine = try await withImageCodec(configuration) { codec in
            switch command {
            case "damage" where !words.isEmpty: return try await damage(words, codec)
            case "reads" where !words.isEmpty: return try await reads(words)
            case "crowd" where words.count > 1: return try await crowd(words, codec)
            default:
                say(usage)
                return false
            }
        }
        exit(isFine ? 0 : 1)
    }

    private static func damage(_ words: [String], _ codec: ImageCodec) async throws -> Bool {
        let files = try smallFiles(words[0])
        let trials = DamageTrials(files, flips: number(words, 1, 10_000), seed: UInt64(number(words, 2, 1)))
        var all = TrialTally()
        for file in files {
            let tally = await trials.prefixes(of: file, codec)
            say("  prefixes of \(file.name): \(tally.summary)")
            all = all + tally
        }
        for format in Set(files.map(\.format)).sorted() {
            let tally = await trials.flips(of: format, codec)
            say("  flips of \(format): \(tally.summary)")
            all = all + tally
        }
        say("damage: \(all.summary)")
        return true
    }

    private static func reads(_ words: [String]) async throws -> Bool {
        var files = try smallFiles(words[0])
        var configuration = ImageCodecConfiguration()
        configuration.isolation = .all
        files += try await withImageCodec(configuration) { codec in
            try await TrialFile.made(of: files, codec)
        }
        let trials = DamageTrials(
            files,
            flips: number(words, 1, 10_000_000),
            seed: UInt64(number(words, 2, 1))
        )
        for format in Set(files.map(\.format)).sorted() {
            say("  reads of \(format): \(await trials.reads(of: format).summary)")
        }
        return true
    }

    private static func crowd(_ words: [String], _ codec: ImageCodec) async throws -> Bool {
        let count = number(words, 2, 100_000)
        let trials = CrowdTrials(
            paths: try TrialFile.listed(in: words[0]),
            files: try smallFiles(words[1]),
            seed: UInt64(number(words, 3, 1))
        )
        var settled = 0
        for part in 0..<reports where count * part / reports < count * (part + 1) / reports {
            await trials.run(count * part / reports...count * (part + 1) / reports - 1, codec)
            let memory = ResidentMemory.anonymousBytes()
            if part == reports / 5 - 1 { settled = memory }
            say("  \(count * (part + 1) / reports) pictures, \(memory >> 20) MiB")
        }
        return judge(
            trials.snapshot,
            grownBytes: settled == 0 ? 0 : ResidentMemory.anonymousBytes() - settled
        )
    }

    private static func judge(_ state: CrowdTrials.State, grownBytes: Int) -> Bool {
        say("  \(state.tally.summary)")
        for difference in state.differences.prefix(20) { say("  not as before: \(difference)") }
        let isLevel = grownBytes <= mostGrowth
        say(
            "crowd: \(state.tally.count) pictures, \(state.differences.count) not as before, memory grew by "
                + "\(grownBytes >> 20) MiB\(isLevel ? "" : ", which is too much")"
        )
        return state.differences.isEmpty && isLevel
    }

    private static func smallFiles(_ list: String) throws -> [TrialFile] {
        try TrialFile.listed(in: list).map { path in try TrialFile(path: path) }
    }

    private static func number(_ words: [String], _ index: Int, _ fallback: Int) -> Int {
        words.count > index ? Int(words[index]) ?? fallback : fallback
    }

    /// Tells at once, wherever it goes: a long run is watched.
    private static func say(_ line: String) {
        print(line)
        fflush(nil)
    }
}
