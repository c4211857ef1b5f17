import CalotypeCommandLineKit
import CalotypeCore

/// `calotype cache`: what the folder of the cache holds, and its upkeep.
enum CacheCommand {
    private static let folder = Option(
        CacheOptions.folder.spec.name,
        .text("DIR"),
        default: "$XDG_CACHE_HOME/calotype",
        "Cache folder."
    )
    private static let size = Option(
        "max-size",
        .byteSize,
        default: "1GiB",
        "With trim: maximum size of the cached values afterwards, such as 500M or 2GiB."
    )
    private static let json = Flag("json", "Print one JSON object, for programs.")

    static let command = Command(
        "cache",
        summary: "inspect, verify, clear or trim the cache",
        discussion: [
            """
            ACTION is stats (show what is in the cache), verify (read every entry and remove damaged ones), \
            clear (remove all entries) or trim (remove the least wanted entries until the cache fits into \
            --max-size).
            """,
            """
            While another process is writing to the cache, the command does not change it, says so and exits \
            with 1; stats still prints its figures. verify exits with 1 if something was wrong, and reports \
            what it removed. If there is no cache, there is nothing to do.
            """,
        ],
        operands: .init("ACTION", count: 1...1),
        groups: [.init("Cache", [folder, size, json])],
        examples: [
            .init("Show what the cache holds", "calotype cache stats"),
            .init("Free disk space", "calotype cache trim --max-size 200M"),
        ]
    )

    static func run(_ arguments: ParsedArguments) async throws -> Int32 {
        let upkeep = CacheUpkeep(action: try action(arguments), folder: try folder(arguments))
        do {
            let findings = try await withInterruption { try await upkeep.run() }.result
            try TerminalOutput.standardOutput.write(arguments[json] ? findings.json : findings.page)
            for problem in findings.problems {
                Main.complain("calotype cache: \(findings.folder): \(problem)\n")
            }
            return findings.problems.isEmpty ? 0 : 1
        } catch is CancellationError {
            return 130
        }
    }

    private static func action(_ arguments: ParsedArguments) throws(UsageError) -> CacheUpkeep.Action {
        let word = arguments.operands.first ?? ""
        if arguments[size] != nil, word != "trim" { throw error("--max-size goes with trim only") }
        return switch word {
        case "stats": .stats
        case "verify": .verify
        case "clear": .clear
        case "trim": .trim(to: arguments[size].map { ByteCount($0.bytes) } ?? .mebibytes(1024))
        default: throw error("unknown action \(word); it is stats, verify, clear or trim")
        }
    }

    private static func folder(_ arguments: ParsedArguments) throws(UsageError) -> String {
        guard let folder = arguments[folder] ?? CacheOptions.defaultFolder else {
            throw error("there is no home folder for a cache; name a folder with --cache")
        }
        return folder
    }

    private static func error(_ message: String) -> UsageError {
        UsageError(message, program: CalotypeProgram.program.name, command: command.name)
    }
}
