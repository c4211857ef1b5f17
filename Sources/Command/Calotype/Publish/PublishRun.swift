import Calotype
import CalotypeCommandLineKit
import CalotypeCore
import CalotypePublish
import TaskFlow

/// Publishes one post, shows its progress, and reports the outcome.
struct PublishRun: Sendable {
    let arguments: ParsedArguments
    let journal: String
    let display: PublishDisplay

    /// Publishes one post.
    ///
    /// - Returns: The exit code.
    func publish(_ order: PublishRequest, _ pipeline: ImagePipeline) async throws -> Int32 {
        let start = ContinuousClock.now
        let progress = PublishProgress()
        async let shown: Void = display.follow(progress)
        let (result, record) = try await attempt(order, progress, pipeline)
        await shown
        await display.end(progress.current)
        let ending = PublishEnding(
            result,
            progress.current,
            record,
            at: order.destination.name,
            order.commands(
                journal: arguments[PublishOptions.journal],
                keepsMetadata: arguments[PublishOptions.keepMetadata]
            )
        )
        try tell(ending, after: start.duration(to: .now))
        return ending.exitCode
    }

    /// Checks a post and prints what would be sent.
    func plan(_ order: PublishRequest, _ pipeline: ImagePipeline) async throws -> Int32 {
        let plan = try await withPublisher(configuration(order), pipeline) { publisher in
            try await publisher.plan(order.post, for: order.destination)
        }
        try PublishPlanPage(plan, order).write(asJSON: arguments[PublishOptions.json])
        return 0
    }

    /// Returns the result and the journal's record of the publication.
    private func attempt(
        _ order: PublishRequest,
        _ progress: PublishProgress,
        _ pipeline: ImagePipeline
    ) async throws -> (Result<PublishedPost, any Error>, PublicationRecord?) {
        let note = PublishNote(file: order.file, target: order.target).text
        return try await withPublisher(configuration(order), pipeline) { publisher in
            let id = Guarded<String?>(nil)
            do {
                let post = try await publisher.withPublication(
                    of: order.post,
                    to: order.destination,
                    order.repetition,
                    note: note,
                    progress: progress
                ) { publication in
                    id.withLock { $0 = publication.id }
                    try await Job.uploadingAll(of: publication).run()
                    return try publication.result()
                }
                return (.success(post), nil)
            } catch {
                return (.failure(error), await record(id.withLock(\.self), in: publisher.journal))
            }
        }
    }

    private func record(_ id: String?, in journal: PublishJournal) async -> PublicationRecord? {
        guard let id else { return nil }
        // Owner: this call, which awaits it. The journal is read after a cancellation
        // too. If it cannot be read, the original error is what people need to see.
        return await Task { try? await journal.publications().first { $0.id == id } }.value
    }

    private func configuration(_ order: PublishRequest) -> PublisherConfiguration {
        var configuration = PublisherConfiguration(journal: journal)
        configuration.width = arguments[PublishOptions.width] ?? order.profile.width
        configuration.keepsLocation = arguments[PublishOptions.keepMetadata]
        return configuration
    }

    private func tell(
        _ ending: PublishEnding,
        after time: Duration
    ) throws {
        if arguments[PublishOptions.json] {
            try TerminalOutput.standardOutput.write(ending.json + "\n")
        } else if let url = ending.url, arguments[PublishOptions.progress] == nil {
            try TerminalOutput.standardOutput.write(TerminalText.line(url) + "\n")
        }
        guard !arguments[PublishOptions.quiet] || ending.exitCode != 0 else { return }
        let lines = ending.lines(after: time).map { TerminalText.line($0) + "\n" }
        Main.complain("calotype publish: " + lines.joined())
    }
}

/// Prints what would be sent, as a table or as JSON.
struct PublishPlanPage {
    private let plan: [PlannedMedium]
    private let order: PublishRequest

    init(_ plan: [PlannedMedium], _ order: PublishRequest) {
        self.plan = plan
        self.order = order
    }

    func write(asJSON: Bool) throws {
        let output = TerminalOutput.standardOutput
        guard !asJSON else { return try output.write(plan.map { $0.json + "\n" }.joined()) }
        var table = TextTable([
            .init("#", .right), .init("Name", leastWidth: 16), .init("Type"), .init("Size", .right),
            .init("Sent", leastWidth: 12),
        ])
        for medium in plan {
            table.add([
                "\(medium.position + 1)", medium.name, "\(medium.type)",
                medium.sourceSize.map { "\($0)" } ?? "", medium.change ?? "unchanged",
            ])
        }
        let lines = plan.isEmpty ? [] : table.lines(width: output.isTerminal ? output.columns : nil) + [""]
        try output.write((lines + [summary]).map { $0 + "\n" }.joined())
    }

    private var summary: String {
        let media = plan.isEmpty ? "a text" : plan.count == 1 ? "1 medium" : "\(plan.count) media"
        let place = order.profile.postURL.map { ", the post to \($0)" } ?? ""
        let count = plan.count { $0.losesLocation }
        let photos = count == 1 ? "1 photo" : "\(count) photos"
        let wiping = count == 0 ? "" : "; \(photos) without the GPS position (--keep-metadata keeps it)"
        return "\(media) would go to \(order.destination.name)\(place)\(wiping); nothing was sent"
    }
}
