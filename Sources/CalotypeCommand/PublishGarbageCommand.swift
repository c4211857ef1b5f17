import Calotype
import CalotypeCore
import CalotypePublish
import CommandLineKit

/// `calotype publish gc`: removes from servers what cancelled publications left there.
enum PublishGarbageCommand {
    private static let unfinished = Flag(
        "unfinished",
        "Give up also what could be resumed, and remove its media; never a post that may be published."
    )

    static let command = Command(
        "publish gc",
        summary: "remove from servers what cancelled publications left there",
        discussion: [
            """
            A publication that is interrupted removes its media from the server before it ends, where that takes no \
            longer than 10 s. What is left then is removed here. What an upload may have brought that was cut is looked for \
            twice, with a pause of 3 s, since a server may store it only after it was asked to remove it. Credentials come from where they came from before: the \
            profile, or the environment.
            """
        ],
        groups: [.init("Journal", [unfinished, PublishOptions.journal]), PublishOptions.network],
        examples: [.init("Remove what is left", "calotype publish gc")]
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
