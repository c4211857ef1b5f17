import Calotype
import CalotypeCommandLineKit
import CalotypePublish

/// `calotype publish list`: what was begun and what became of it.
enum PublishListCommand {
    private static let unfinished = Flag("unfinished", "Show only posts that can be resumed.")

    static let command = Command(
        "publish list",
        summary: "list published and unfinished posts",
        discussion: [
            """
            Prints the journal as a table, newest last: the ID that publish settle takes, when the post was \
            begun (UTC), its state, how many of its media are uploaded, the server, the post, and where it \
            can be seen or why it is not published.
            """
        ],
        groups: [
            .init("Journal", [unfinished, PublishOptions.journal]), .init("Display", [json]),
        ],
        examples: [.init("List what can be resumed", "calotype publish list --unfinished")]
    )
    private static let json = Flag(
        "json",
        "Print one JSON object per line, one for each post, for programs."
    )

    static func run(_ arguments: ParsedArguments) async throws -> Int32 {
        try await PublishCommand.run(arguments) { run, pipeline in
            let all = try await run.publications(pipeline)
            let records = all.filter { !arguments[unfinished] || $0.isUnfinished }.reversed()
            let output = TerminalOutput.standardOutput
            if arguments[json] {
                try output.write(records.map { $0.json + "\n" }.joined())
            } else if !records.isEmpty {
                let lines = table(Array(records)).lines(width: output.isTerminal ? output.columns : nil)
                try output.write(lines.map { $0 + "\n" }.joined())
            }
            return 0
        }
    }

    private static func table(_ records: [PublicationRecord]) -> TextTable {
        var table = TextTable([
            .init("ID"), .init("Begun (UTC)", isDispensable: true), .init("State"), .init("Media", .right),
            .init("Server", leastWidth: 16), .init("Post", leastWidth: 8),
            .init("Seen at, or problem", leastWidth: 16),
        ])
        for record in records {
            let name = PublishNote(record.note)?.file?.split(separator: "/").last.map(String.init)
            table.add([
                record.shortID, record.begun, record.standing, record.share, record.destination,
                name ?? record.text,
                record.result?.url ?? record.problem ?? "",
            ])
        }
        return table
    }
}

extension PublishRun {
    /// All of the journal, the newest first.
    func publications(_ pipeline: ImagePipeline) async throws -> [PublicationRecord] {
        try await withPublisher(PublisherConfiguration(journal: journal), pipeline) { publisher in
            try await publisher.journal.publications()
        }
    }
}
