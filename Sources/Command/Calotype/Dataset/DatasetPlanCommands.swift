import CalotypeBulk
import CalotypeCommandLineKit
import CalotypeFiles
import CalotypePlatform

/// `calotype dataset plan`: prepares a dataset that several machines make.
enum DatasetPlanCommand {
    private static let tailAfter = Option(
        "tail-after",
        .integer(1...1_000_000_000),
        default: "50000",
        """
        Number of URLs of one host that share shards with URLs of other hosts. The host's other URLs go to shards at \
        the end, so that no other shard has to wait for a large host.
        """
    )

    static let command = Command(
        "dataset plan",
        summary: "prepare a dataset that several machines make",
        discussion: [
            """
            Reads the list INPUT and writes a plan into the folder OUTPUT, which all machines must share. The \
            options are those of dataset, and the shards, keys and images will be the same as with dataset on \
            one machine, unless a host has more URLs than --tail-after. A plan never changes.
            """,
            "Then start the workers, for example with: python -m calotype.ray OUTPUT",
        ],
        operands: .init("INPUT OUTPUT", count: 2...2),
        groups: [.init("Plan", [tailAfter])] + DatasetCommand.command.groups,
        exclusive: DatasetCommand.command.exclusive,
        examples: [
            .init(
                "Plan shards of 1,000 images",
                "calotype dataset plan urls.txt planned --number-sample-per-shard 1000"
            )
        ]
    )

    static func run(_ arguments: ParsedArguments) async throws -> Int32 {
        do {
            try DatasetBucket.refuse(
                arguments.operands[1],
                "machines share a plan in a folder; give a folder, or make a dataset with --slice on each machine"
            )
            let options = try DatasetCommandOptions.options(arguments)
            // Workers do not know the option.
            let words = arguments.words.filter { !$0.hasPrefix("--tail-after=") }
            let after = arguments[tailAfter] ?? 50_000
            let plan = try await DatasetPlanning(options, words: words, tailAfter: after).run()
            try TerminalOutput.standardOutput.write("\(plan.shards) shards, \(plan.samples) samples\n")
            return 0
        } catch let error as BulkError {
            Main.complain("calotype dataset plan: \(error.description)\n")
            return UsageError.exitCode
        }
    }
}

/// `calotype dataset gc`: removes what killed runs have left.
enum DatasetGarbageCommand {
    private static let age = Option(
        "older-than",
        .integer(0...1_000_000_000),
        default: "3600",
        """
        Remove files of unfinished shards that have not changed for this many seconds. A run that still uses \
        them fails, and can be repeated.
        """
    )

    static let command = Command(
        "dataset gc",
        summary: "complete and clean up what killed runs of dataset have left",
        discussion: [
            """
            Gives the files of shards their names if a run was killed in between, and removes files of attempts \
            that did not complete their shard. Journals of interrupted runs are kept.
            """
        ],
        operands: .init("DIR", count: 1...1),
        groups: [.init("Cleaning", [age])],
        examples: [.init("Clean up after killed runs", "calotype dataset gc shards")]
    )

    static func run(_ arguments: ParsedArguments) throws -> Int32 {
        do {
            try DatasetBucket.refuse(
                arguments.operands[0],
                "give the folder of --work; a bucket has no leftovers"
            )
            let garbage = try ShardGarbage(path: arguments.operands[0], age: arguments[age] ?? 3600)
            let findings = try garbage.collect()
            try TerminalOutput.standardOutput.write(
                "\(findings.completed) shards completed, \(findings.removed) files removed, \(findings.kept) kept\n"
            )
            return 0
        } catch {
            Main.complain("calotype dataset gc: \(error)\n")
            return UsageError.exitCode
        }
    }
}
