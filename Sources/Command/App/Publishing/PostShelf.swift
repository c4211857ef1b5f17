import CalotypeCore
import CalotypePublish
import TaskFlow

/// The posts that were ordered, in memory and in the app's folder.
final class PostShelf: Sendable {
    /// The most posts that are remembered, and the most that are published at a time.
    static let mostPosts = 200
    static let mostRuns = 16

    /// A post, and its publication in this process.
    struct Entry: Sendable {
        var post: StoredPost
        var run: PostRun?
    }

    private let folder: String
    /// One thread, so that what is written last was decided last.
    private let disk: any TaskExecutor
    private let state: Guarded<[String: Entry]>

    /// Finds the posts in the folder; those that ran when a server ended are interrupted.
    ///
    /// It blocks.
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

    /// All posts, the newest first.
    var entries: [Entry] {
        state.withLock { entries in
            entries.values.sorted { ($0.post.created, $0.post.id) > ($1.post.created, $1.post.id) }
        }
    }

    /// The files that posts need which may be resumed.
    var neededFiles: Set<String> {
        state.withLock { entries in
            Set(entries.values.filter(\.post.state.isOpen).flatMap { $0.post.media.map(\.file) })
        }
    }

    /// The post called `id`.
    ///
    /// - Throws: 404 where there is none.
    func entry(_ id: Substring?) throws(APIError) -> Entry {
        guard let id, let entry = state.withLock({ $0[String(id)] }) else {
            throw APIError(404, "not_found", "there is no such post any more")
        }
        return entry
    }

    /// Puts a post that `run` is to publish in the place of one that did not run, or adds it.
    ///
    /// - Throws: 409 where it runs already; 503 where too many do; `storage_failed`.
    func begin(_ post: StoredPost, _ run: PostRun) async throws {
        try await change { entries throws(APIError) in
            guard entries[post.id]?.post.state != .running else {
                throw APIError(409, "already_running", "the post is being published")
            }
            guard entries.values.count(where: { $0.post.state == .running }) < Self.mostRuns else {
                throw APIError(
                    503,
                    "too_many_posts",
                    "\(Self.mostRuns) posts are being published; try again when one has ended"
                )
            }
            var post = post
            (post.state, post.problem) = (.running, nil)
            entries[post.id] = Entry(post: post, run: run)
            return .write(post, removing: Self.tooMany(&entries))
        }
    }

    /// Changes a post that is there; in memory also where it cannot be written down, for what has happened has happened.
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

    /// Forgets a post that does not run.
    ///
    /// - Throws: 409 where it runs.
    func forget(_ id: String) async throws {
        try await change { entries throws(APIError) in
            guard entries[id]?.post.state != .running else {
                throw APIError(409, "already_running", "the post is being published")
            }
            entries[id] = nil
            return .remove([id])
        }
    }

    // MARK: The disk

    /// What a change means to the folder.
    private enum Step {
        case nothing
        case write(StoredPost, removing: [String])
        case remove([String])
    }

    /// Decides and writes on the one thread of the disk, so that both have the same order.
    ///
    /// - Parameters:
    ///   - evenUnwritten: Whether it counts also where it cannot be written down.
    ///   - decide: Changes the posts.
    /// - Throws: What `decide` throws; `storage_failed`.
    private func change(
        evenUnwritten: Bool = false,
        _ decide: @escaping @Sendable (inout [String: Entry]) throws(APIError) -> Step
    ) async throws {
        try await disk.run { [state, folder] in
            // Nobody else changes them until they are put back: that happens on this thread only.
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

    /// Takes out the oldest posts that have come to an end, as far as there are too many.
    private static func tooMany(_ entries: inout [String: Entry]) -> [String] {
        let ended = entries.values.map(\.post).filter { !$0.state.isOpen }.sorted { $0.created < $1.created }
        let removed = ended.prefix(max(entries.count - mostPosts, 0)).map(\.id)
        for id in removed { entries[id] = nil }
        return removed
    }
}

/// A publication of a post that goes on in this process, or was the last to do so.
final class PostRun: Sendable {
    private struct State {
        var task: ScopedTask?
        var isCancelled = false
    }

    let progress: PublishProgress
    /// Set when all of it has ended and what came of it is written down.
    let ended = Latch<Void>()
    private let state = Guarded(State())

    init(clock: any Clock<Duration>) {
        progress = PublishProgress(clock: clock)
    }

    /// Whether somebody gave the post up; else a cancelled task means that the server ends.
    var isCancelled: Bool { state.withLock(\.isCancelled) }

    /// Takes the task, to cancel it.
    func attach(_ task: ScopedTask) {
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    /// Gives the post up: what is at the server is removed.
    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }
}
