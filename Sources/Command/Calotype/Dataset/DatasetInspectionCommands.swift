import CalotypeBulk
import CalotypeCommandLineKit
import CalotypeFiles

/// `calotype dataset verify`: checks the shards of a dataset.
enum DatasetVerifyCommand {
    static let command = Command(
        "dataset verify",
        summary: "check every shard, key and hash of a dataset",
        discussion: [
            """
            Reads all complete shards of DIR. The exit code is 1 if a file is missing, changed or of no complete \
            shard, or if its pictures are not those that the metadata names. Unfinished shards are no error.
            """
        ],
        operands: .init("DIR", count: 1...1),
        examples: [.init("Check a dataset", "calotype dataset verify shards")]
    )

    static func run(_ arguments: ParsedArguments) throws -> Int32 {
        do throws(BulkError) {
            let folder = arguments.operands[0]
            let advice = "its shards are not read from there; download them and verify the folder"
            try DatasetBucket.refuse(folder, advice)
            let dataset = try DatasetInspection(path: folder)
            if let store = dataset.store { throw BulkError("\(folder) was uploaded to \(store): \(advice)") }
            let findings = dataset.verify()
            for problem in findings.problems { Main.complain("calotype dataset verify: \(problem)\n") }
            let unfinished = findings.unfinished > 0 ? ", \(findings.unfinished) unfinished" : ""
            try? TerminalOutput.standardOutput.write(
                """
                \(findings.shards) shards\(unfinished), \(findings.samples) samples, \(findings.pictures) pictures, \
                \(findings.problems.count) problems

                """
            )
            return findings.problems.isEmpty ? 0 : 1
        } catch {
            Main.complain("calotype dataset verify: \(error.description)\n")
            return UsageError.exitCode
        }
    }
}

/// `calotype dataset stats`: sums up a dataset.
enum DatasetStatsCommand {
    private static let html = Option("html", .text("FILE"), "Write a self-contained page with histograms.")
    private static let json = Flag("json", "Print a JSON object instead of text.")

    static let command = Command(
        "dataset stats",
        summary: "sum up a dataset: samples, failures by code and host, sizes",
        discussion: [
            """
            DIR is the folder of a dataset. With the s3:// address of one that was made on this machine, the \
            command reads what is left in its work folder.
            """
        ],
        operands: .init("DIR", count: 1...1),
        groups: [.init("Output", [html, json])],
        examples: [.init("Show what failed, and why", "calotype dataset stats shards")]
    )

    static func run(_ arguments: ParsedArguments) throws -> Int32 {
        do {
            let dataset = arguments.operands[0]
            let folder = try DatasetBucket(dataset)?.workFolder ?? dataset
            let statistics = try DatasetStatistics(of: DatasetInspection(path: folder))
            if let path = arguments[html] { try AtomicFile.write(Array(statistics.page.utf8), to: path) }
            try TerminalOutput.standardOutput.write(
                arguments[json] ? statistics.json + "\n" : statistics.text
            )
            return 0
        } catch {
            Main.complain("calotype dataset stats: \(error)\n")
            return UsageError.exitCode
        }
    }
}
