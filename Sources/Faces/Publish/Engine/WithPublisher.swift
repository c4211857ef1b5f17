public import Calotype
internal import TaskFlow

/// Runs `body` with a publisher, and returns when all of its work has ended.
///
/// - Parameters:
///   - configuration: Where the journal is, and how long the publisher tries on.
///   - pipeline: Makes renditions, checks pictures, and lends its connections.
///   - body: Uses the publisher.
/// - Returns: What `body` returns.
/// - Throws: `storage_failed` where the journal cannot be opened; what `body` throws.
public func withPublisher<Output>(
    _ configuration: PublisherConfiguration,
    _ pipeline: ImagePipeline,
    _ body: (Publisher) async throws -> Output
) async throws -> Output {
    // The journal has a thread of its own, so that nothing waits for large files that are being read.
    try await withThreadExecutor(name: "journal", threads: 1) { writer in
        let journal = try await writer.run {
            try PublishJournal(folder: configuration.journal, disk: writer, onWrite: configuration.onJournal)
        }
        return try await withPublisher(configuration, pipeline, journal, body)
    }
}

private func withPublisher<Output>(
    _ configuration: PublisherConfiguration,
    _ pipeline: ImagePipeline,
    _ journal: PublishJournal,
    _ body: (Publisher) async throws -> Output
) async throws -> Output {
    try await withThreadExecutor(name: "publish", threads: 2) { disk in
        try await withTaskScope { scope in
            let publisher = Publisher(
                configuration,
                pipeline: pipeline,
                journal: journal,
                disk: disk,
                scope: scope
            )
            return try await body(publisher)
        }
    }
}
