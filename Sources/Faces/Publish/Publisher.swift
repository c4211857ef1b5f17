public import Calotype
public import Dispatch
public import TaskFlow

/// Publishes posts with all their media, each exactly once.
///
/// Get one from ``withPublisher(_:_:_:)``. What it is about to do is written into its journal first, so that a publication that was
/// cut or killed can be resumed.
public final class Publisher: Sendable {
    /// What was begun and how far it has come.
    public let journal: PublishJournal
    let pipeline: ImagePipeline
    let client: PublishClient
    let configuration: PublisherConfiguration
    /// Where files are read.
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

    /// Brings all media to the server, and then the post.
    ///
    /// The first failure that nothing helps against cancels the other uploads, and the post is not sent; what is up can be used by a
    /// resume. When the caller is cancelled, what is up is removed from the server before this returns, for at most
    /// ``PublisherConfiguration/cleanupTime``.
    ///
    /// - Parameters:
    ///   - post: What to publish.
    ///   - destination: Where.
    ///   - repetition: What to do where the journal knows the same post; it is refused by default.
    ///   - note: Is kept in the journal for the caller.
    ///   - progress: Tells how it goes on.
    /// - Returns: The published post.
    /// - Throws: `CalotypeError`: `post_refused`, `already_published`, `publish_unfinished`, `publish_busy`, `source_changed`,
    ///   `outcome_unknown`, `unauthorized`, what the server answers, and others; `CancellationError`.
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

    /// Publishes for code without async, and calls back when all of it has ended.
    ///
    /// - Parameters:
    ///   - post: What to publish.
    ///   - destination: Where.
    ///   - repetition: What to do where the journal knows the same post.
    ///   - progress: Tells how it goes on.
    ///   - queue: Where the callback runs.
    ///   - completion: Called exactly once, on `queue`; with `TaskScopeEnded` when the publisher has ended.
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
                // A run that never began tells nothing itself; without effect after one that did.
                progress.update { $0.stage = .cancelled }
                completion(result)
            }
    }

    /// Opens a publication for jobs of the caller's own making, and ends it as ``publish(_:to:_:note:progress:)`` does.
    ///
    /// ```swift
    /// try await publisher.withPublication(of: post, to: server) { publication in
    ///     let media = publication.media.map { Job.uploading($0, using: publication) }
    ///     try await Job.sequence([.group(media, width: 2), .uploading(post, using: publication)]).run()
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - post: What to publish.
    ///   - destination: Where.
    ///   - repetition: What to do where the journal knows the same post.
    ///   - note: Is kept in the journal for the caller.
    ///   - progress: Tells how it goes on.
    ///   - body: Runs the jobs; what it has not brought up when it returns can be resumed.
    /// - Returns: What `body` returns.
    /// - Throws: As ``publish(_:to:_:note:progress:)``, and what `body` throws.
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

    /// Looks at a post without sending anything: what would be sent, and whether the server would take it.
    ///
    /// - Parameters:
    ///   - post: What would be published.
    ///   - destination: Where; it is asked what it takes.
    /// - Returns: What would be sent, in the order of the post.
    /// - Throws: As ``publish(_:to:_:note:progress:)``.
    public func plan(
        _ post: Post,
        for destination: any PublishDestination
    ) async throws -> [PlannedMedium] {
        let opening = Opening(publisher: self, destination: destination, progress: PublishProgress())
        return try await opening.plan(post).media
    }
}

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
