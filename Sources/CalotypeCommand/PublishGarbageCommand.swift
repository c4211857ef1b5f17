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
            longer than 10 s. What is left then is removed here. Credentials come from where they came from before: the \
            profile, or the environment.
            """
        ],
        groups: [.init("Journal", [unfinished, PublishOptions.journal]), PublishOptions.network],
        examples: [.init("Remove what is left", "calotype publish gc")]
    )

    static func run(_ arguments: ParsedArguments) async throws -> Int32 {
        try await PublishCommand.run(arguments) { run, pipeline in
            let removals = try await withPublisher(PublisherConfiguration(journal: run.journal), pipeline) {
                try await $0.removeLeftovers(includingUnfinished: arguments[unfinished]) { record in
                    try PublishTarget.destination(of: record, environment: EnvironmentVariables.all)
                }
            }
            for removal in removals {
                let record = removal.publication
                let name = PublishNote(record.note)?.file ?? record.begun
                let what = removal.problem.map { "not removed: \($0)" } ?? "removed"
                Main.complain(
                    "calotype publish gc: \(TerminalText.line("\(record.destination): \(name): \(what)"))\n"
                )
            }
            if removals.isEmpty { Main.complain("calotype publish gc: nothing is left at any server\n") }
            let failures = removals.count { $0.problem != nil }
            return failures == 0 ? 0 : failures < removals.count ? 1 : 3
        }
    }
}
