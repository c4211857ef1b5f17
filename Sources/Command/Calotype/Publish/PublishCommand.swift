import Calotype
import CalotypeCommandLineKit
import CalotypeCore
import CalotypePlatform
import CalotypePublish

/// `calotype publish`: publishes a post with all its media, exactly once.
enum PublishCommand {
    static let command = Command(
        "publish",
        summary: "publish a post with all its photos and videos, exactly once",
        discussion: [
            """
            POST.json is a file, or - for standard input: {"text": "A day out", "media": [{"file": \
            "boats.jpg", "alt": "Two boats", "focus": [0, 0.4]}, {"file": "film.mp4", "thumbnail": \
            "film.jpg"}], "content_warning": "Cold water", "visibility": "public", "language": "en", \
            "schedule": "2026-05-01T09:00:00+02:00"}. Everything except file is optional. Paths are relative to \
            POST.json.
            """,
            """
            All media are uploaded first, a few at a time, and then the post. Images are checked before \
            anything is sent, and are made smaller if the server requires that. Photos lose the GPS position \
            in their metadata unless you add --keep-metadata; videos are sent unchanged. Temporary failures \
            are retried. A permanent failure stops the run, and the post is not published.
            """,
            """
            Every step is recorded before it starts. If a run is interrupted or killed, --resume continues \
            where it stopped: no media file is uploaded twice, and no post appears twice. A post is \
            identified by its text, fields, media and destination, wherever its files are. Ctrl-C removes \
            the uploaded files from the server.
            """,
            """
            Credentials come from a profile or the environment, never from the command line. Profiles are in \
            $XDG_CONFIG_HOME/calotype/profiles.json, which nobody else may read (mode 600): {"blog": {"to": \
            "wordpress+https://example.org", "user": "ada", "password": "..."}}. A profile can contain to, \
            post_to, settle, width, token, user, password, access_key, secret_key, session_token, region and \
            allow_http.
            """,
            """
            --progress json prints objects with stage (preparing, uploading, posting, posted, failed, \
            cancelled, unknown), fraction, acknowledged and total (bytes), rewinds, items and, if they \
            apply, pause, problem and retry_in (seconds). An item has name, stage (waiting, preparing, \
            uploading, processing, ready, failed), size, sent, acknowledged, attempt, rewinds, problem and \
            retry_in. --json prints one object at the end, with result (published, failed, interrupted), \
            destination and media, and either id and url, or code, message, ready, total and resume.
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
                    """
                    Uploads each media file with PUT into the folder, or with POST if the URL does not end \
                    in a slash. The post goes to --post-to.
                    """
                ),
                .init(
                    "tus+https://HOST/files/",
                    "tus 1.0, which resumes interrupted uploads. The post goes to --post-to."
                ),
                .init(
                    "mastodon+https://HOST",
                    "Mastodon and other servers with its API. Uses CALOTYPE_TOKEN."
                ),
                .init(
                    "s3+https://HOST/BUCKET/PREFIX",
                    """
                    S3. The post is a manifest that is uploaded last. Uses CALOTYPE_ACCESS_KEY and \
                    CALOTYPE_SECRET_KEY, and CALOTYPE_SESSION_TOKEN if the keys expire.
                    """
                ),
                .init(
                    "wordpress+https://HOST",
                    "WordPress. Uses CALOTYPE_USER and CALOTYPE_PASSWORD, an application password."
                ),
                .init(
                    "http",
                    "Works instead of https for this machine (localhost), and elsewhere with --allow-http."
                ),
            ]
        ),
        exitCodes: [
            .init("1", "The post is not published, and can be resumed."),
            .init("4", "The post is published, but that could not be recorded."),
        ],
        examples: [
            .init(
                "Publish a post",
                "CALOTYPE_TOKEN=... calotype publish post.json --to mastodon+https://example.org"
            ),
            .init("Resume after an interruption", "calotype publish post.json --to blog --resume"),
            .init("Resume all unfinished posts", "calotype publish --resume"),
            .init(
                "Show what would be sent",
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
        let order: PublishRequest
        do {
            order = try PublishRequest(operand, to: target, repetition)
        } catch {
            complain(error.message)
            return UsageError.exitCode
        }
        guard !tell(order.post.unusableFiles(), of: order) else { return UsageError.exitCode }
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
        let configuration = try PublishOptions.pipeline(arguments)
        do {
            let (code, interruption) = try await withInterruption(onSignal: { _ in await display.interrupt() }
            ) {
                try await withImagePipeline(configuration) { try await body(run, $0) }
            }
            // A post that was published in spite of the signal is a success.
            guard let interruption, code == PublishEnding.interruptedExitCode else { return code }
            return interruption.exitCode
        } catch let error as CalotypeError {
            complain("\(error)")
            return 3
        }
    }

    /// Lists the files that cannot be sent, and returns whether there are some.
    private static func tell(_ files: [Post.UnusableFile], of order: PublishRequest) -> Bool {
        guard !files.isEmpty else { return false }
        let count = files.count == 1 ? "a file" : "\(files.count) files"
        complain("\(order.name): \(count) cannot be sent; nothing was done")
        for file in files { Main.complain("  \(TerminalText.line(file.description))\n") }
        return true
    }

    /// Prints a message on one line of standard error.
    static func complain(_ text: String) {
        Main.complain("calotype publish: \(TerminalText.line(text))\n")
    }

    static func error(_ message: String) -> UsageError {
        UsageError(message, program: CalotypeProgram.program.name, command: command.name)
    }
}

extension PublishCommand {
    /// `calotype publish --resume` without a file: resumes all unfinished posts, oldest first.
    static func resumeAll(_ arguments: ParsedArguments) async throws -> Int32 {
        guard arguments[PublishOptions.resume] else {
            throw error("POST.json is missing; without it, --resume continues all unfinished posts")
        }
        guard PublishOptions.target(arguments) == nil else {
            throw error("--to needs POST.json; without it, each unfinished post goes to its own destination")
        }
        return try await run(arguments) { run, pipeline in
            let unfinished = try await run.unfinished(pipeline)
            if unfinished.isEmpty, !arguments[PublishOptions.quiet] {
                complain("no unfinished posts")
            }
            var code: Int32 = 0
            for record in unfinished {
                try Task.checkCancellation()
                code = max(code, try await run.resume(record, pipeline))
            }
            return code
        }
    }
}

extension PublishRun {
    /// Returns the journal's publications that can be resumed, oldest first.
    fileprivate func unfinished(_ pipeline: ImagePipeline) async throws -> [PublicationRecord] {
        try await withPublisher(PublisherConfiguration(journal: journal), pipeline) { publisher in
            try await publisher.journal.publications().filter(\.isUnfinished).reversed()
        }
    }

    /// Resumes one publication; if its post or destination is not known, reports that and lets the others go
    /// on.
    fileprivate func resume(_ record: PublicationRecord, _ pipeline: ImagePipeline) async throws -> Int32 {
        let note = PublishNote(record.note)
        guard let file = note?.file, let target = note?.target else {
            return skip(
                record,
                "cannot be resumed here, because its file or destination is not in the journal; enter both to resume it"
            )
        }
        let order: PublishRequest
        do {
            order = try PublishRequest(file, to: target, .resume)
        } catch {
            return skip(record, error.message)
        }
        guard record.isFor(order.destination) else {
            return skip(record, "\(target.to) is now another server: \(order.destination.name)")
        }
        if let file = order.post.unusableFiles().first { return skip(record, file.description) }
        await display.message("\(file) resumed; \(record.share) media are on \(record.destination)")
        return try await publish(order, pipeline)
    }

    private func skip(_ record: PublicationRecord, _ reason: String) -> Int32 {
        let name = PublishNote(record.note)?.file ?? "the post from \(record.begun)"
        PublishCommand.complain("\(name) to \(record.destination): \(reason)")
        return 1
    }
}
