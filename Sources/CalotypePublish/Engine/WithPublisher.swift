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
    try await withThreadExecutor(name: "publish", threads: 2) { disk in
        let journal = try await disk.run {
            try PublishJournal(folder: configuration.journal, disk: disk, onWrite: configuration.onJournal)
        }
        return try await withTaskScope { scope in
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
