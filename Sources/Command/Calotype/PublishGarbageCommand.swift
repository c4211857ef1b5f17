import Calotype
import CalotypeCommandLineKit
import CalotypeCore
import CalotypePublish

/// `calotype publish gc`: removes from servers what cancelled publications left there.
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
                let rest = kept.isEmpty ? "" : ", but for \(kept): the server has no way to remove it"
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

    /// What is said where nothing was to be removed, and so many publications have something at a server.
    private static func nothing(_ open: Int) -> String {
        guard open > 0 else { return "nothing is left at any server" }
        let posts = open == 1 ? "1 unfinished post has" : "\(open) unfinished posts have"
        return
            "nothing to remove; \(posts) media at a server: resume with calotype publish --resume, or remove them with --unfinished"
    }
}
