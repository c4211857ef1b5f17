import CalotypeCore
import CalotypeHTTP
import CalotypePublish
import CalotypeServer
import FoundationEssentials
import TaskFlow

/// Runs `body` with publishing, and returns when the app's scope and all its publications have ended.
///
/// Unfinished publications can be resumed.
///
/// - Parameters:
///   - services: The app's services; without profiles or a folder, publishing is disabled.
///   - body: Uses publishing; gets `nil` if publishing is disabled.
/// - Returns: The result of `body`.
/// - Throws: Errors of `body`; `storage_failed` if the folder cannot be used, for example because another
///   server uses it.
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

/// Ends the app's scope after `body`, before closing what its tasks use.
private func ending<Output>(
    _ services: AppServices,
    _ body: () async throws -> Output
) async throws -> Output {
    let result: Result<Output, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    await services.scope.end(.cancel)
    return try result.get()
}

/// Publishes posts in the app's scope, so that publications outlive their requests.
struct Publishing: Sendable {
    let services: AppServices
    let publisher: Publisher
    let files: FileShelf
    let posts: PostShelf

    private var configuration: AppConfiguration { services.configuration }

    // MARK: Posts

    /// Starts publishing a post.
    func begin(_ order: PostRequest) async throws -> PostShelf.Entry {
        let created = configuration.wallClock().secondsSince1970
        let id = UUID().uuidString.lowercased()
        let post = try order.post(id, at: created, configuration.profiles, files)
        return try await start(post, post.again ? .again : .refuse)
    }

    /// Resumes an unfinished post.
    ///
    /// - Throws: 409 if it is published, or one of its files is missing.
    func resume(_ id: Substring?) async throws -> PostShelf.Entry {
        let post = try posts.entry(id).post
        guard post.state != .published else {
            throw APIError(409, "already_published", "the post is published")
        }
        if let missing = post.media.first(where: { files[$0.file] == nil }) {
            throw APIError(
                409,
                "file_missing",
                "\(missing.name) is no longer available; publish the post again"
            )
        }
        // A post that never reached the journal must not resume an older, equal post.
        return try await start(post, post.again && post.publication == nil ? .again : .resumeOrBegin)
    }

    /// Cancels a running post, or removes a post that is not running.
    ///
    /// The method returns a cancelled post when it has ended, and `nil` for a removed one. Removing a post
    /// also removes its files, except those in `keeping` and those that another post needs.
    func remove(_ id: Substring?, keeping: Set<String> = []) async throws -> PostShelf.Entry? {
        let entry = try posts.entry(id)
        if entry.post.state == .running, let run = entry.run {
            run.cancel()
            try await run.ended.wait()
            return try posts.entry(id)
        }
        try await removeLeftovers(of: entry.post)
        try await posts.forget(entry.post.id)
        let needed = keeping.union(posts.entries.flatMap { $0.post.media.map(\.file) })
        for file in Set(entry.post.media.map(\.file)).subtracting(needed).compactMap({ files[$0] }) {
            try await files.remove(file)
        }
        return nil
    }

    private func start(_ post: StoredPost, _ repetition: Repetition) async throws -> PostShelf.Entry {
        let run = PostRun(clock: configuration.clock)
        try await posts.begin(post, run)
        do {
            run.attach(
                try services.scope.start(name: "publish post") { await publish(post, run, repetition) }
            )
        } catch {
            try await posts.update(post.id) { $0.state = .interrupted }
            throw APIError.serverEnds
        }
        return try posts.entry(post.id[...])
    }

    private func publish(_ post: StoredPost, _ run: PostRun, _ repetition: Repetition) async {
        let result: Result<PublishedPost, any Error>
        do {
            result = .success(try await published(post, run, repetition))
        } catch {
            result = .failure(error)
        }
        let ending = PostEnding(result, run)
        // Has no effect on a publication that has started; one that has not does not report anything itself.
        run.progress.update { state in
            state.problem = state.problem ?? ending.problem
            state.stage = ending.state == .failed ? .failed : .cancelled
        }
        do {
            try await posts.update(post.id) { ending.apply(to: &$0) }
        } catch {
            // After a restart the post is interrupted, and resuming it determines the outcome.
            services.thumbnails.notice("the outcome of post \(post.id) cannot be stored: \(error)")
        }
        run.ended.set(())
    }

    private func published(
        _ post: StoredPost,
        _ run: PostRun,
        _ repetition: Repetition
    ) async throws -> PublishedPost {
        try await publisher.withPublication(
            of: try described(post),
            to: try destination(of: post),
            repetition,
            note: post.id,
            progress: run.progress
        ) { publication in
            do {
                let key = publication.id
                try await posts.update(post.id) { $0.publication = key }
                let width = configuration.profiles[post.profile]?.width
                try await Job.uploadingAll(of: publication, width: width).run()
            } catch is CancellationError where !run.isCancelled {
                // The server is shutting down: uploaded files stay for a resume.
                throw APIError.serverEnds
            }
            return try publication.result()
        }
    }

    private func described(_ post: StoredPost) throws(CalotypeError) -> Post {
        var described = Post(post.text)
        described.visibility = post.visibility.flatMap(Post.Visibility.init(rawValue:))
        described.contentWarning = post.contentWarning
        described.language = post.language
        described.schedule = post.schedule.map { WallTime(secondsSince1970: $0) }
        described.media = try post.media.map { medium throws(CalotypeError) in
            guard let file = files[medium.file] else {
                throw CalotypeError(
                    .fileNotReadable,
                    "\(medium.name) is no longer available; publish the post again",
                    stage: .request
                )
            }
            var media = Media.file(files.path(of: file), altText: medium.alt.isEmpty ? nil : medium.alt)
            media.name = file.name
            if let focus = medium.focus, focus.count == 2 { media.focus = .init(x: focus[0], y: focus[1]) }
            return media
        }
        return described
    }

    private func destination(of post: StoredPost) throws -> any PublishDestination {
        guard let profile = configuration.profiles[post.profile] else {
            throw CalotypeError(
                .invalidRequest,
                "the server no longer has the profile \(post.profile); restart it with that profile",
                stage: .request
            )
        }
        return try profile.destination()
    }

    /// Returns the limits of a profile's server; those that it does not report within ten seconds are `nil`.
    ///
    /// - Throws: 404 for an unknown profile; `CancellationError`.
    func limits(of name: Substring?) async throws -> MediaLimits {
        guard let profile = name.flatMap({ configuration.profiles[String($0)] }) else {
            throw APIError(404, "not_found", "the server has no such profile")
        }
        let destination = try profile.destination()
        do {
            return try await withTimeout(.seconds(10), clock: configuration.clock) {
                try await publisher.limits(of: destination)
            }
        } catch let error as CancellationError {
            throw error
        } catch {
            // Publishing requests them again, and reports what is wrong.
            return MediaLimits()
        }
    }

    // MARK: Leftovers

    /// Removes files that cancelled posts left on servers; runs until the app ends.
    func removeLeftovers() async {
        let profiles = configuration.profiles.values
        do {
            _ = try await publisher.removeLeftovers { record in
                profiles.lazy.compactMap { try? $0.destination() }.first { record.isFor($0) }
            }
        } catch is CancellationError {
            // The app is ending; the next start removes the rest.
        } catch {
            services.thumbnails.notice("files of cancelled posts will be removed at the next start: \(error)")
        }
    }

    /// Removes the files of a cancelled post from its server, within the time limit of a cancellation.
    private func removeLeftovers(of post: StoredPost) async throws {
        guard post.state != .published, let key = post.publication else { return }
        do {
            try await withTimeout(.seconds(10), clock: configuration.clock) {
                _ = try await publisher.removeLeftovers(includingUnfinished: true) { record in
                    record.id == key ? try destination(of: post) : nil
                }
            }
        } catch TaskFlowError.Code.deadlineExceeded {
            // The journal has the publication, and the next start tries again.
        }
    }
}
