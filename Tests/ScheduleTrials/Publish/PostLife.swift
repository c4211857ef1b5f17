import CalotypeCore
import CalotypePublish
import TaskFlow
import TaskFlowTesting

/// One post, and all that is done with it in one process: publications, one after the other and at the same time, and removals.
final class PostLife: Sendable {
    private struct State {
        var moments = 0
        /// What happens at a moment of the journal.
        var actions: [(moment: Int, act: @Sendable () -> Void)] = []
        /// How many publish or remove, and the most that did since each of them began.
        var active = 0
        var crowds: [Int: Int] = [:]
    }

    let fixture: PostFixture
    let post: Post
    private let hasReaders: Bool
    private let state = Guarded(State())

    init(_ fixture: PostFixture, pieces: [Int], hasReaders: Bool) {
        self.fixture = fixture
        self.hasReaders = hasReaders
        post = Post(
            "Words",
            media: pieces.enumerated().map { index, count in
                Media(.bytes(Array(repeating: UInt8(index + 1), count: count)))
            }
        )
    }

    /// Runs `act` at a moment of the journal, before or after a transaction.
    func at(_ moment: Int, _ act: @escaping @Sendable () -> Void) {
        state.withLock { $0.actions.append((moment, act)) }
    }

    func journalWrites(_ moment: JournalMoment) {
        scheduleNote("the journal \(moment.isDone ? "has written" : "writes") \(moment.step.rawValue)")
        let acts = state.withLock { state in
            state.moments += 1
            defer { state.actions.removeAll { $0.moment <= state.moments } }
            return state.actions.filter { $0.moment <= state.moments }.map(\.act)
        }
        for act in acts { act() }
    }

    // MARK: Publishing

    func perform(_ run: PostRun, _ number: Int, with publisher: Publisher) async throws {
        try await Task.sleep(nanoseconds: 10_000_000 * UInt64(run.start))
        let watch = ProgressWatch(fixture)
        let destination = TrialDestination(fixture: fixture, watch: watch)
        let reader = hasReaders ? Task(name: "reader \(number)") { await watch.read() } : nil
        let task = Task(name: "publication \(number)") {
            try await self.publish(run, with: publisher, to: destination)
        }
        enter(number)
        switch run.cancellation {
        case nil: break
        case .after(let time):
            try await Task.sleep(nanoseconds: 10_000_000 * UInt64(time))
            scheduleNote("cancel publication \(number)")
            task.cancel()
        case .atMoment(let moment):
            at(moment) {
                scheduleNote("cancel publication \(number)")
                task.cancel()
            }
        }
        let result = await task.result
        let crowd = leave(number)
        check(result, destination, number, isCancelled: run.cancellation != nil, isAlone: crowd == 1)
        watch.look()
        if let reader, await reader.value != watch.progress.current.stage {
            fixture.find("the reader of the progress missed its end")
        }
    }

    private func publish(
        _ run: PostRun,
        with publisher: Publisher,
        to destination: TrialDestination
    ) async throws -> PublishedPost {
        let progress = destination.watch.progress
        if case .plain = run.shape {
            return try await publisher.publish(post, to: destination, run.repetition, progress: progress)
        }
        return try await publisher.withPublication(
            of: post,
            to: destination,
            run.repetition,
            progress: progress
        ) {
            publication in
            try await Self.job(run.shape, publication).run()
            return try publication.result()
        }
    }

    private static func job(_ shape: PostRun.Shape, _ publication: Publication) -> Job<Void> {
        let media = publication.media.map { Job.uploading($0, using: publication) }
        let post = Job.uploading(publication.post, using: publication)
        switch shape {
        case .plain: return .sequence(media + [post])
        case .group(let width): return .sequence([.group(media, width: width), post])
        case .twiceInSequence: return .sequence(media.reversed() + media + [post, post])
        }
    }

    func sweep(atMoment moment: Int, includingUnfinished: Bool, with publisher: Publisher) async throws {
        let start = Latch<Void>()
        at(moment) { start.set(()) }
        do {
            try await withTimeout(.seconds(2)) { try await start.wait() }
        } catch TaskFlowError.Code.deadlineExceeded {}
        enter(-1)
        scheduleNote("removes leftovers")
        _ = try await publisher.removeLeftovers(includingUnfinished: includingUnfinished) { _ in
            TrialDestination(fixture: fixture, watch: ProgressWatch(fixture))
        }
        _ = leave(-1)
    }

    private func enter(_ number: Int) {
        state.withLock { state in
            state.active += 1
            state.crowds[number] = state.active
            for other in state.crowds.keys {
                state.crowds[other] = max(state.crowds[other] ?? 0, state.active)
            }
        }
    }

    private func leave(_ number: Int) -> Int {
        state.withLock { state in
            state.active -= 1
            return state.crowds.removeValue(forKey: number) ?? 0
        }
    }

    // MARK: What it is told

    private func check(
        _ result: Result<PublishedPost, any Error>,
        _ destination: TrialDestination,
        _ number: Int,
        isCancelled: Bool,
        isAlone: Bool
    ) {
        let stage = destination.watch.progress.current.stage
        let publication = destination.trail.withLock(\.publication)
        scheduleNote("publication \(number) ended as \(stage.rawValue)\(Self.reason(result))")
        if !stage.isLast { fixture.find("the progress ends as \(stage)") }
        switch result {
        case .success(let published):
            let posts = fixture.contents.posts
            guard let number = published.id.flatMap(Int.init), posts.indices.contains(number) else {
                return fixture.find("a post is said to be published that the server does not have")
            }
            if stage != .posted { fixture.find("a published post ends as \(stage)") }
            if posts[number].media != published.media.compactMap({ Int($0.id) }) {
                fixture.find("the published post has other media")
            }
        case .failure(let error):
            checkError(error, isCancelled: isCancelled, isAlone: isAlone)
            guard isAlone, [.failed, .cancelled].contains(stage), let publication else { return }
            if fixture.contents.posts(of: publication) > 0 {
                fixture.find("a post that is there ended as \(stage)")
            }
            if fixture.isPostUnderWay(publication) {
                fixture.find("a post that may still arrive ended as \(stage)")
            }
        }
    }

    private static func reason(_ result: Result<PublishedPost, any Error>) -> String {
        switch result {
        case .success: ""
        case .failure(is CancellationError): ": cancelled"
        case .failure(let error as CalotypeError): ": \(error.code.rawValue)"
        case .failure(let error): ": \(error)"
        }
    }

    private func checkError(_ error: any Error, isCancelled: Bool, isAlone: Bool) {
        if error is CancellationError {
            if !isCancelled { fixture.find("a publication was cancelled that nobody cancelled") }
            return
        }
        guard let error = error as? CalotypeError else { return fixture.find("an unknown error: \(error)") }
        switch error.code {
        case .publishBusy:
            if isAlone { fixture.find("a publication is busy that nobody works on") }
        case .alreadyPublished:
            if fixture.contents.posts.isEmpty { fixture.find("a post was published that is not there") }
        case .publishUnfinished, .nothingToResume, .outcomeUnknown, .uploadLost, .connectionReset: break
        case .http(status: 422), .http(status: 503), .http(status: 429), .http(status: 423),
            .http(status: 410):
            break
        default: fixture.find("an unexpected error: \(error)")
        }
    }
}
