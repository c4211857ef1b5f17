import Calotype
import CalotypeCommandLineKit
import CalotypeCore
import CalotypeFiles
import CalotypeHTTP
import CalotypePublish

/// `calotype publish list`: lists published and unfinished posts.
enum PublishListCommand {
    private static let unfinished = Flag("unfinished", "Show only posts that can be resumed.")

    static let command = Command(
        "publish list",
        summary: "list published and unfinished posts",
        discussion: [
            """
            Prints the journal as a table, newest last: the ID that publish settle takes, when publishing \
            started (UTC), the state, how many media are uploaded, the server, the post, and the post's URL \
            or why it is not published.
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
            .init("ID"), .init("Started (UTC)", isDispensable: true), .init("State"), .init("Media", .right),
            .init("Server", leastWidth: 16), .init("Post", leastWidth: 8),
            .init("URL or problem", leastWidth: 16),
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
    /// Returns all publications in the journal, newest first.
    func publications(_ pipeline: ImagePipeline) async throws -> [PublicationRecord] {
        try await withPublisher(PublisherConfiguration(journal: journal), pipeline) { publisher in
            try await publisher.journal.publications()
        }
    }
}

/// `calotype publish settle`: records the outcome of a post that the user has checked on the server.
enum PublishSettleCommand {
    private static let published = Flag(
        "published",
        "The post is on the server; URL is where it can be seen."
    )
    private static let notPublished = Flag(
        "not-published",
        "The post is not on the server; it can be resumed, or published again."
    )

    static let command = Command(
        "publish settle",
        summary: "resolve a post whose outcome is unknown",
        discussion: [
            """
            If the response to a post was lost, --resume asks the server. Some servers cannot be asked: \
            check there yourself, and record what you found. ID is the post's ID as shown by publish list, \
            or the beginning of it. Only posts in the state "unknown" can be settled. Nothing is sent.
            """
        ],
        operands: .init("ID [URL]", count: 1...2),
        groups: [
            .init("Outcome", [published, notPublished]), .init("Journal", [PublishOptions.journal]),
        ],
        exclusive: [["published", "not-published"]],
        examples: [
            .init(
                "The post is there",
                "calotype publish settle 1b9d6bcd --published https://example.org/posts/7"
            ),
            .init("The post is not there", "calotype publish settle 1b9d6bcd --not-published"),
        ]
    )

    static func run(_ arguments: ParsedArguments) async throws -> Int32 {
        let finding = try finding(arguments)
        return try await PublishCommand.run(arguments) { run, pipeline in
            let record = try await withPublisher(PublisherConfiguration(journal: run.journal), pipeline) {
                try await $0.settle(arguments.operands[0], finding)
            }
            PublishCommand.complain(Self.text(record))
            return 0
        }
    }

    private static func finding(_ arguments: ParsedArguments) throws(UsageError) -> PostFinding {
        let text = arguments.operands.dropFirst().first
        if arguments[notPublished] {
            guard text == nil else { throw error("--not-published cannot be combined with a URL") }
            return .notPublished
        }
        guard arguments[published] else { throw error("--published or --not-published is missing") }
        do throws(CalotypeError) {
            return .published(at: try text.map { text throws(CalotypeError) in try WebURL(text) })
        } catch let fault {
            throw error("\(text ?? ""): \(fault.message)")
        }
    }

    private static func text(_ record: PublicationRecord) -> String {
        guard record.state != .posted else { return "recorded as published to \(record.destination)" }
        let next =
            record.isUnfinished
            ? "\(record.share) media are uploaded; --resume continues the post" : "publish it again"
        return "recorded as not published to \(record.destination); \(next)"
    }

    private static func error(_ message: String) -> UsageError {
        UsageError(message, program: CalotypeProgram.program.name, command: command.name)
    }
}

/// `calotype publish gc`: deletes files that cancelled posts left on servers.
enum PublishGarbageCommand {
    private static let unfinished = Flag(
        "unfinished",
        """
        Also abandon posts that could be resumed, and remove their media. Never affects a post that may be \
        published.
        """
    )

    static let command = Command(
        "publish gc",
        summary: "delete files that cancelled posts left on servers",
        discussion: [
            """
            When a post is interrupted, its media are removed from the server before the command ends, if \
            that takes no longer than 10 s. This command removes what is left. It checks twice, 3 s apart, \
            for files of interrupted uploads, because a server may store such a file only after it was asked \
            to remove it. Credentials come from the same place as before: the profile or the environment.
            """
        ],
        groups: [.init("Journal", [unfinished, PublishOptions.journal]), PublishOptions.network],
        examples: [.init("Delete what is left", "calotype publish gc")]
    )

    static func run(_ arguments: ParsedArguments) async throws -> Int32 {
        try await PublishCommand.run(arguments) { run, pipeline in
            let configuration = PublisherConfiguration(journal: run.journal)
            let (removals, open) = try await withPublisher(configuration, pipeline) { publisher in
                let removals = try await publisher.removeLeftovers(includingUnfinished: arguments[unfinished])
                {
                    record in try PublishTarget.destination(of: record, environment: EnvironmentVariables.all)
                }
                return (removals, try await publisher.journal.publications().count(where: \.hasLeftovers))
            }
            for removal in removals {
                let record = removal.publication
                let name = PublishNote(record.note)?.file ?? record.begun
                let kept = removal.kept.joined(separator: ", ")
                let rest = kept.isEmpty ? "" : ", except \(kept), which this server cannot delete"
                let what = removal.problem.map { "not removed: \($0)" } ?? "removed\(rest)"
                Main.complain(
                    "calotype publish gc: \(TerminalText.line("\(record.destination): \(name): \(what)"))\n"
                )
            }
            if removals.isEmpty { Main.complain("calotype publish gc: \(nothing(open))\n") }
            let failures = removals.count { $0.problem != nil }
            return failures == 0 ? 0 : failures < removals.count ? 1 : 3
        }
    }

    /// Returns the message if nothing was removed; `open` is the number of publications with media on a
    /// server.
    private static func nothing(_ open: Int) -> String {
        guard open > 0 else { return "no files are left on any server" }
        let posts = open == 1 ? "1 unfinished post has" : "\(open) unfinished posts have"
        return
            "nothing to remove; \(posts) media on a server. Resume with publish --resume, or remove them with --unfinished"
    }
}
