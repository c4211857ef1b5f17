import CalotypeCore
import CalotypePublish
import TaskFlow

/// The posts of the app, in memory and in the app's folder.
final class PostShelf: Sendable {
    /// The maximum number of stored posts, and of posts being published.
    static let mostPosts = 200
    static let mostRuns = 16

    /// A post, and its publication in this process.
    struct Entry: Sendable {
        var post: StoredPost
        var run: PostRun?
    }

    private let folder: String
    /// One thread, so that the last decision is written last.
    private let disk: any TaskExecutor
    private let state: Guarded<[String: Entry]>

    /// Reads the posts in the folder; blocks.
    ///
    /// Posts that were running when a server ended become interrupted.
    init(_ folder: AppFolder, disk: any TaskExecutor) {
        self.folder = folder.posts
        self.disk = disk
        let posts = AppFolder.read(StoredPost.self, in: folder.posts).filter { $0 == $1.id }
        state = Guarded(
            posts.mapValues { post in
                var post = post
                if post.state == .running { post.state = .interrupted }
                return Entry(post: post)
            }
        )
    }

    /// All posts, newest first.
    var entries: [Entry] {
        state.withLock { entries in
            entries.values.sorted { ($0.post.created, $0.post.id) > ($1.post.created, $1.post.id) }
        }
    }

    /// The files of posts that can be resumed.
    var neededFiles: Set<String> {
        state.withLock { entries in
            Set(entries.values.filter(\.post.state.isOpen).flatMap { $0.post.media.map(\.file) })
        }
    }

    /// Returns the post called `id`.
    ///
    /// - Throws: 404 if there is none.
    func entry(_ id: Substring?) throws(APIError) -> Entry {
        guard let id, let entry = state.withLock({ $0[String(id)] }) else {
            throw APIError(404, "not_found", "this post no longer exists")
        }
        return entry
    }

    /// Adds a post that `run` will publish, or replaces one that is not running.
    ///
    /// - Throws: 409 if the post is already running; 503 if too many posts are running; `storage_failed`.
    func begin(_ post: StoredPost, _ run: PostRun) async throws {
        try await change { entries throws(APIError) in
            guard entries[post.id]?.post.state != .running else {
                throw APIError(409, "already_running", "the post is being published")
            }
            guard entries.values.count(where: { $0.post.state == .running }) < Self.mostRuns else {
                throw APIError(
                    503,
                    "too_many_posts",
                    "\(Self.mostRuns) posts are being published; try again when one has finished"
                )
            }
            var post = post
            (post.state, post.problem) = (.running, nil)
            entries[post.id] = Entry(post: post, run: run)
            return .write(post, removing: Self.tooMany(&entries))
        }
    }

    /// Changes a post in memory, even if the change cannot be written.
    ///
    /// The event has already happened.
    ///
    /// - Throws: `storage_failed`.
    func update(_ id: String, _ change: @escaping @Sendable (inout StoredPost) -> Void) async throws {
        try await self.change(evenUnwritten: true) { entries throws(APIError) in
            guard var post = entries[id]?.post else { return .nothing }
            change(&post)
            entries[id]?.post = post
            return .write(post, removing: [])
        }
    }

    /// Removes a post that is not running.
    ///
    /// - Throws: 409 if it is running.
    func forget(_ id: String) async throws {
        try await change { entries throws(APIError) in
            guard entries[id]?.post.state != .running else {
                throw APIError(409, "already_running", "the post is being published")
            }
            entries[id] = nil
            return .remove([id])
        }
    }

    // MARK: Disk

    /// The effect of a change on the folder.
    private enum Step {
        case nothing
        case write(StoredPost, removing: [String])
        case remove([String])
    }

    /// Decides and writes on the disk's only thread, so that both have the same order.
    ///
    /// - Parameters:
    ///   - evenUnwritten: Whether the change applies even if it cannot be written.
    ///   - decide: Changes the posts.
    /// - Throws: Errors of `decide`; `storage_failed`.
    private func change(
        evenUnwritten: Bool = false,
        _ decide: @escaping @Sendable (inout [String: Entry]) throws(APIError) -> Step
    ) async throws {
        try await disk.run { [state, folder] in
            // Nothing else changes the posts until they are put back, because only this thread does.
            var entries = state.withLock(\.self)
            let step = try decide(&entries)
            if evenUnwritten { state.withLock { $0 = entries } }
            try Self.perform(step, in: folder)
            state.withLock { $0 = entries }
        }
    }

    private static func perform(_ step: Step, in folder: String) throws {
        switch step {
        case .nothing: break
        case .write(let post, let removed):
            try AppFolder.write(post, to: "\(folder)/\(post.id).json")
            for id in removed { AppFolder.remove("\(folder)/\(id).json") }
        case .remove(let removed):
            for id in removed { AppFolder.remove("\(folder)/\(id).json") }
        }
    }

    /// Removes the oldest finished posts if there are too many.
    private static func tooMany(_ entries: inout [String: Entry]) -> [String] {
        let ended = entries.values.map(\.post).filter { !$0.state.isOpen }.sorted { $0.created < $1.created }
        let removed = ended.prefix(max(entries.count - mostPosts, 0)).map(\.id)
        for id in removed { entries[id] = nil }
        return removed
    }
}

/// The current or last publication of a post in this process.
final class PostRun: Sendable {
    private struct State {
        var task: ScopedTask?
        var isCancelled = false
    }

    let progress: PublishProgress
    /// Opens when the publication has ended and its outcome is stored.
    let ended = Latch<Void>()
    private let state = Guarded(State())

    init(clock: any Clock<Duration>) {
        progress = PublishProgress(clock: clock)
    }

    /// Whether the user cancelled the post.
    ///
    /// Otherwise, a cancelled task means that the server is shutting down.
    var isCancelled: Bool { state.withLock(\.isCancelled) }

    /// Stores the task, so that it can be cancelled.
    func attach(_ task: ScopedTask) {
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    /// Cancels the post, which removes its files from the server.
    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }
}
