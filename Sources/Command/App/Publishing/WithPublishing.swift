import CalotypePublish
import TaskFlow

/// Runs `body` with what publishes posts, and returns when the app's scope and all publications in it have ended; what was being
/// published can be resumed.
///
/// - Parameters:
///   - services: What the app works with; without profiles or a folder nothing is published.
///   - body: Uses it; `nil` where nothing is published.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws; `storage_failed` where the folder cannot be used, also because another server does.
func withPublishing<Output>(
    _ services: AppServices,
    _ body: (Publishing?) async throws -> Output
) async throws -> Output {
    let configuration = services.configuration
    guard let path = configuration.folder, !configuration.profiles.isEmpty else {
        return try await ending(services) { try await body(nil) }
    }
    return try await withThreadExecutor(name: "app folder", threads: 1) { notes in
        try await withThreadExecutor(name: "app files", threads: 2) { disk in
            let folder = try await notes.run { try AppFolder(path) }
            let (files, posts) = try await notes.run {
                let files = FileShelf(
                    folder,
                    services.pipeline,
                    configuration.fileLimits,
                    disk: disk,
                    wallClock: configuration.wallClock
                )
                return (files, PostShelf(folder, disk: notes))
            }
            return try await withPublisher(publisherConfiguration(configuration, folder), services.pipeline) {
                publisher in
                let publishing = Publishing(
                    services: services,
                    publisher: publisher,
                    files: files,
                    posts: posts
                )
                return try await ending(services) {
                    try await files.sweep(needed: posts.neededFiles)
                    try services.scope.start(name: "leftovers") { await publishing.removeLeftovers() }
                    return try await body(publishing)
                }
            }
        }
    }
}

private func publisherConfiguration(
    _ configuration: AppConfiguration,
    _ folder: AppFolder
) -> PublisherConfiguration {
    var publisher = PublisherConfiguration(journal: folder.journal)
    publisher.clock = configuration.clock
    publisher.wallClock = configuration.wallClock
    return publisher
}

/// Ends the app's scope after `body`, before what its tasks use is gone.
private func ending<Output>(
    _ services: AppServices,
    _ body: () async throws -> Output
) async throws -> Output {
    let result: Result<Output, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    await services.scope.end(.cancel)
    return try result.get()
}
