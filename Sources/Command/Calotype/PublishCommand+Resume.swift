import Calotype
import CalotypeCommandLineKit
import CalotypeCore
import CalotypePublish

extension PublishCommand {
    /// `calotype publish --resume` without a file: goes on with all that is unfinished, the oldest first.
    static func resumeAll(_ arguments: ParsedArguments) async throws -> Int32 {
        guard arguments[PublishOptions.resume] else {
            throw error("POST.json is missing; without it, --resume goes on with all that is unfinished")
        }
        guard PublishOptions.target(arguments) == nil else {
            throw error("--to goes with POST.json; without it, each unfinished post goes where it was to go")
        }
        return try await run(arguments) { run, pipeline in
            let unfinished = try await run.unfinished(pipeline)
            if unfinished.isEmpty, !arguments[PublishOptions.quiet] {
                complain("nothing is unfinished")
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
    /// What the journal has that can be resumed, the oldest first.
    fileprivate func unfinished(_ pipeline: ImagePipeline) async throws -> [PublicationRecord] {
        try await withPublisher(PublisherConfiguration(journal: journal), pipeline) { publisher in
            try await publisher.journal.publications().filter(\.isUnfinished).reversed()
        }
    }

    /// Goes on with one publication; one that cannot be found again is told, and does not hold up the others.
    fileprivate func resume(_ record: PublicationRecord, _ pipeline: ImagePipeline) async throws -> Int32 {
        let note = PublishNote(record.note)
        guard let file = note?.file, let target = note?.target else {
            return skip(
                record,
                "it has to be resumed by hand: it does not stand in the journal where the post came from or went"
            )
        }
        let order: PublishOrder
        do {
            order = try PublishOrder(file, to: target, .resume)
        } catch {
            return skip(record, error.message)
        }
        guard record.isFor(order.destination) else {
            return skip(record, "\(target.to) is another server now, \(order.destination.name)")
        }
        if let fault = order.post.fileFaults().first { return skip(record, fault.description) }
        await display.message("\(file) goes on, \(record.share) media are at \(record.destination)")
        return try await publish(order, pipeline)
    }

    private func skip(_ record: PublicationRecord, _ reason: String) -> Int32 {
        let name = PublishNote(record.note)?.file ?? "the post of \(record.begun)"
        PublishCommand.complain("\(name) to \(record.destination): \(reason)")
        return 1
    }
}
