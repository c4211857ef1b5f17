import Calotype
import CalotypeCore
import CalotypePublish
import CommandLineKit
import Glibc

/// `calotype publish`: a post goes to a server with all its media, exactly once.
enum PublishCommand {
    static let command = Command(
        "publish",
        summary: "publish a post with all its photos and videos, exactly once",
        discussion: [
            """
            POST.json is a file, or - for standard input: {"text": "A day out", "media": [{"file": "boats.jpg", "alt": "Two \
            boats", "focus": [0, 0.4]}, {"file": "film.mp4", "thumbnail": "film.jpg"}], "visibility": "public", "language": \
            "en", "schedule": "2026-05-01T09:00:00+02:00"}. All but file may be left out. Paths are relative to the file.
            """,
            """
            All media are brought to the server, a few at a time, and only then the post. Pictures are checked before \
            anything is sent, and made smaller where the server wants that. Photos lose the GPS position in their metadata \
            unless --keep-metadata is given; videos are sent as they are. What fails for a time is tried again; what \
            fails for good ends the run, and the post is not published.
            """,
            """
            What is begun is written down first. A run that was cut, or killed, goes on with --resume where it was: no \
            medium goes up twice, and no post appears twice. A post is known by its text, fields, media and destination, \
            wherever its files are. Ctrl-C removes from the server what is there already.
            """,
            """
            Credentials come from a profile or the environment, never from the command line. Profiles are in \
            $XDG_CONFIG_HOME/calotype/profiles.json, which nobody else may read (mode 600): {"blog": {"to": \
            "wordpress+https://example.org", "user": "ada", "password": "..."}}. A profile may have to, post_to, settle, \
            width, token, user, password, access_key, secret_key, session_token, region and allow_http.
            """,
            """
            --progress json prints objects with stage (preparing, uploading, posting, posted, failed, cancelled, unknown), \
            fraction, acknowledged and total (bytes), rewinds, items, and where there are such pause, problem and retry_in \
            (seconds). An item has name, stage (waiting, preparing, uploading, processing, ready, failed), size, sent, \
            acknowledged, attempt, rewinds, problem and retry_in. --json prints at the end an object with result (published, \
            failed, interrupted), destination and media, and with id and url, or with code, message, ready, total and resume.
            """,
        ],
        operands: .init("POST.json", count: 0...1),
        groups: [
            PublishOptions.server, PublishOptions.run, PublishOptions.display, PublishOptions.network,
        ],
        exclusive: [
            ["resume", "again"], ["dry-run", "resume"], ["dry-run", "again"], ["quiet", "progress"],
        ],
        glossary: (
            "Servers",
            [
                .init(
                    "plain+https://HOST/FOLDER/",
                    "Each medium by PUT into the folder, or by POST where the URL ends in no slash; the post to --post-to."
                ),
                .init(
                    "tus+https://HOST/files/",
                    "tus 1.0, which goes on where a cut upload was; the post to --post-to."
                ),
                .init("mastodon+https://HOST", "Mastodon and others with its API; CALOTYPE_TOKEN."),
                .init(
                    "s3+https://HOST/BUCKET/PREFIX",
                    "S3; the post is a manifest that is put last; CALOTYPE_ACCESS_KEY, CALOTYPE_SECRET_KEY, and for keys that "
                        + "expire CALOTYPE_SESSION_TOKEN."
                ),
                .init(
                    "wordpress+https://HOST",
                    "WordPress; CALOTYPE_USER and CALOTYPE_PASSWORD, an application password."
                ),
                .init("http", "In the place of https for this machine (localhost), and with --allow-http."),
            ]
        ),
        examples: [
            .init(
                "Publish",
                "CALOTYPE_TOKEN=... calotype publish post.json --to mastodon+https://example.org"
            ),
            .init("Go on after a cut", "calotype publish post.json --to blog --resume"),
            .init("Go on with all that is unfinished", "calotype publish --resume"),
            .init(
                "See what would be sent",
                "calotype publish post.json --to tus+https://example.org/files/ "
                    + "--post-to https://example.org/posts --dry-run"
            ),
        ]
    )

    static func run(_ arguments: ParsedArguments) async throws -> Int32 {
        guard let operand = arguments.operands.first else { return try await resumeAll(arguments) }
        guard let target = PublishOptions.target(arguments) else {
            throw error("--to URL|PROFILE is missing")
        }
        let repetition: Repetition =
            arguments[PublishOptions.again] ? .again : arguments[PublishOptions.resume] ? .resume : .refuse
        let order: PublishOrder
        do {
            order = try PublishOrder(operand, to: target, repetition)
        } catch {
            complain(error.message)
            return UsageError.exitCode
        }
        guard !tell(order.post.fileFaults(), of: order) else { return UsageError.exitCode }
        return try await run(arguments) { run, pipeline in
            arguments[PublishOptions.dryRun]
                ? try await run.plan(order, pipeline) : try await run.publish(order, pipeline)
        }
    }

    /// Runs `body` in a pipeline until a signal.
    static func run(
        _ arguments: ParsedArguments,
        _ body: @escaping @Sendable (PublishRun, ImagePipeline) async throws -> Int32
    ) async throws -> Int32 {
        let display = PublishDisplay(arguments)
        let run = PublishRun(
            arguments: arguments,
            journal: try PublishOptions.journalFolder(arguments),
            display: display
        )
        do {
            return try await withInterruption(onSignal: { _ in await display.interrupt() }) {
                try await withImagePipeline(PublishOptions.pipeline(arguments)) { try await body(run, $0) }
            }.result
        } catch is CancellationError {
            return 130
        } catch let error as CalotypeError {
            complain("\(error)")
            return 3
        }
    }

    /// Tells of files that cannot be sent; whether there are some.
    private static func tell(_ faults: [Post.FileFault], of order: PublishOrder) -> Bool {
        guard !faults.isEmpty else { return false }
        let count = faults.count == 1 ? "a file" : "\(faults.count) files"
        complain("\(order.name): \(count) cannot be sent; nothing was done")
        for fault in faults { Main.complain("  \(TerminalText.line(fault.description))\n") }
        return true
    }

    /// Says something in a line on standard error.
    static func complain(_ text: String) {
        Main.complain("calotype publish: \(TerminalText.line(text))\n")
    }

    static func error(_ message: String) -> UsageError {
        UsageError(message, program: CalotypeProgram.program.name, command: command.name)
    }
}
