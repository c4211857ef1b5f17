public import Calotype
public import Dispatch
public import TaskFlow

/// Publishes posts with all their media, each exactly once.
///
/// Get one from ``withPublisher(_:_:_:)``. The publisher writes each step into its journal before it acts, so
/// that a publication that was interrupted or killed can be resumed.
public final class Publisher: Sendable {
    /// The publications that were begun, and their progress.
    public let journal: PublishJournal
    let pipeline: ImagePipeline
    let client: PublishClient
    let configuration: PublisherConfiguration
    /// Runs the reading of files.
    let disk: any TaskExecutor
    private let scope: TaskScope

    init(
        _ configuration: PublisherConfiguration,
        pipeline: ImagePipeline,
        journal: PublishJournal,
        disk: any TaskExecutor,
        scope: TaskScope
    ) {
        self.configuration = configuration
        self.pipeline = pipeline
        self.journal = journal
        self.disk = disk
        self.scope = scope
        client = PublishClient(pipeline.client, now: configuration.wallClock, clock: configuration.clock)
    }

    /// Uploads all media, and then publishes the post.
    ///
    /// Each image is decoded while it is uploaded, and the post is sent only if all are intact. The first
    /// failure without a remedy cancels the other uploads, and the post is not sent; a resume can use the media
    /// that were uploaded. After a damaged image no resume is possible, and the uploads are removed. If the caller is cancelled, the method removes the uploads from the
    /// server before it returns, for at most ``PublisherConfiguration/cleanupTime``.
    ///
    /// - Parameters:
    ///   - post: The post to publish.
    ///   - destination: The server.
    ///   - repetition: What to do if the journal has the same post; by default the publication is refused.
    ///   - note: A note that the journal stores for the caller.
    ///   - progress: Receives the progress.
    /// - Returns: The published post.
    /// - Throws: `CalotypeError`: `post_refused`, `already_published`, `publish_unfinished`, `publish_busy`,
    ///   `source_changed`, `outcome_unknown`, `unauthorized`, the server's errors, and others;
    ///   `CancellationError`.
    public func publish(
        _ post: Post,
        to destination: any PublishDestination,
        _ repetition: Repetition = .refuse,
        note: String? = nil,
        progress: PublishProgress = PublishProgress()
    ) async throws -> PublishedPost {
        try await withPublication(of: post, to: destination, repetition, note: note, progress: progress) {
            publication in
            try await Job.uploadingAll(of: publication).run()
            return try publication.result()
        }
    }

    /// Publishes from code without async, and calls back when all work has ended.
    ///
    /// - Parameters:
    ///   - post: The post to publish.
    ///   - destination: The server.
    ///   - repetition: What to do if the journal has the same post.
    ///   - progress: Receives the progress.
    ///   - queue: The queue of the callback.
    ///   - completion: Called exactly once, on `queue`; with `scope_ended` if the publisher has ended.
    /// - Returns: A token that cancels the publication.
    @discardableResult
    public func publish(
        _ post: Post,
        to destination: any PublishDestination,
        _ repetition: Repetition = .refuse,
        progress: PublishProgress = PublishProgress(),
        on queue: DispatchQueue,
        then completion: @escaping @Sendable (Result<PublishedPost, any Error>) -> Void
    ) -> JobToken {
        Job { try await self.publish(post, to: destination, repetition, progress: progress) }
            .perform(on: queue, in: scope) { result in
                // A run that never began reports nothing itself; after any other run, the update has no
                // effect.
                progress.update { $0.stage = .cancelled }
                completion(result)
            }
    }

    /// Opens a publication for the caller's own jobs.
    ///
    /// It ends the publication as ``publish(_:to:_:note:progress:)`` does.
    ///
    /// ```swift
    /// try await publisher.withPublication(of: post, to: server) { publication in
    ///     let media = publication.media.map { Job.uploading($0, using: publication) }
    ///     try await Job.sequence([.group(media, width: 2), .uploading(post, using: publication)]).run()
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - post: The post to publish.
    ///   - destination: The server.
    ///   - repetition: What to do if the journal has the same post.
    ///   - note: A note that the journal stores for the caller.
    ///   - progress: Receives the progress.
    ///   - body: Runs the jobs; what is not uploaded when it returns can be resumed.
    /// - Returns: The result of `body`.
    /// - Throws: The errors that ``publish(_:to:_:note:progress:)`` throws, and what `body` throws.
    public func withPublication<Output: Sendable>(
        of post: Post,
        to destination: any PublishDestination,
        _ repetition: Repetition = .refuse,
        note: String? = nil,
        progress: PublishProgress = PublishProgress(),
        _ body: @Sendable (Publication) async throws -> Output
    ) async throws -> Output {
        let publication: Publication
        do {
            let opening = Opening(publisher: self, destination: destination, progress: progress)
            publication = try await opening.open(post, repetition, note: note)
        } catch {
            progress.update { $0.stage = error is CancellationError ? .cancelled : .failed }
            throw error
        }
        do {
            let output = try await body(publication)
            await publication.end(after: nil)
            return output
        } catch {
            await publication.end(after: error)
            throw error
        }
    }

    /// Requests a server's limits, once: to show them to someone who writes a post.
    ///
    /// - Parameter destination: The server.
    /// - Returns: The limits; those that the server does not report are `nil`.
    /// - Throws: `CalotypeError` with the server's or the connection's error; `CancellationError`.
    public func limits(of destination: any PublishDestination) async throws -> MediaLimits {
        do {
            return try await destination.limits(client)
        } catch let failure as PublishError {
            throw failure.error
        }
    }

    /// Checks a post without sending it: what would be sent, and whether the server would accept it.
    ///
    /// - Parameters:
    ///   - post: The post to check.
    ///   - destination: The server, whose limits are requested.
    /// - Returns: The media that would be sent, in the order of the post.
    /// - Throws: The errors that ``publish(_:to:_:note:progress:)`` throws.
    public func plan(
        _ post: Post,
        for destination: any PublishDestination
    ) async throws -> [PlannedMedium] {
        let opening = Opening(publisher: self, destination: destination, progress: PublishProgress())
        let media = try await opening.plan(post).media
        let checks = media.map { medium in Job { try await self.pipeline.checkPixels(of: medium) } }
        try await Job<Void>.group(checks, width: MediaInspector.width).run()
        return media
    }
}

/// Runs `body` with a publisher, and returns when all of its work has ended.
///
/// - Parameters:
///   - configuration: The journal's folder, and the limits for retries.
///   - pipeline: Creates renditions, checks images, and provides connections.
///   - body: Uses the publisher.
/// - Returns: The result of `body`.
/// - Throws: `storage_failed` if the journal cannot be opened; what `body` throws.
public func withPublisher<Output>(
    _ configuration: PublisherConfiguration,
    _ pipeline: ImagePipeline,
    _ body: (Publisher) async throws -> Output
) async throws -> Output {
    // The journal has its own thread, so that it does not wait while large files are read.
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
