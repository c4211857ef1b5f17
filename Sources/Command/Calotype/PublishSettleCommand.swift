import Calotype
import CalotypeCommandLineKit
import CalotypeCore
import CalotypeHTTP
import CalotypePublish

/// `calotype publish settle`: somebody who looked at the server says what became of a post.
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
            or the beginning of it. Only posts in the state "not known" can be settled. Nothing is sent.
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
            guard text == nil else { throw error("a post that is not published has no URL") }
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
        guard record.state != .posted else { return "noted as published at \(record.destination)" }
        let next =
            record.isUnfinished
            ? "\(record.share) media are at the server; --resume goes on with it" : "publish it anew"
        return "noted as not published at \(record.destination); \(next)"
    }

    private static func error(_ message: String) -> UsageError {
        UsageError(message, program: CalotypeProgram.program.name, command: command.name)
    }
}
