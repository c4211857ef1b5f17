import Calotype
import CalotypeCore
import TaskFlow
import TaskFlowTesting

/// One run of such a program: what is under way, and how much work it explains.
final class SharedWorkRun: Sendable {
    /// Something of the program that can be cancelled and awaited.
    private enum Work {
        case load(Task<Void, Never>)
        case task(ImageTask<Rendition>, Task<Void, Never>)
        case prefetch(PrefetchToken)
    }

    private struct State {
        var works: [Int: Work] = [:]
        var pictures: [Int: [SharedWork.Picture]] = [:]
        var wanted: Set<SharedWork.Picture> = []
        /// How many of those who wanted a picture of a name may have been cancelled.
        var cancels: [Int: Int] = [:]
        var prefetched: [SharedWork.Picture] = []
        var cancelled: Set<Int> = []
        var violation: String?
    }

    private let pipeline: ImagePipeline
    private let prefetcher: Prefetcher
    private let state = Guarded(State())

    init(_ pipeline: ImagePipeline) {
        self.pipeline = pipeline
        prefetcher = Prefetcher(pipeline.renditionLoader, limit: 2)
    }

    func perform(_ operation: SharedWork.Operation) async throws {
        switch operation {
        case .settings: break
        case .load(let id, let picture):
            start(id, [picture]) { [pipeline] in
                [try await pipeline.rendition(for: picture.request)]
            }
        case .task(let id, let picture, let priority): task(id, picture, priority)
        case .batch(let id, let pictures):
            start(id, pictures) { [pipeline] in
                let outcomes = pipeline.renditions(
                    for: pictures.map(\.request),
                    limit: 2,
                    order: .input
                )
                return try await outcomes.under(.failFast).reduce(into: []) { $0.append($1.rendition) }
            }
        case .sizes(let id, let name, let sides):
            start(id, sides.map { SharedWork.Picture(name: name, side: $0) }) { [pipeline] in
                let specs = sides.map { RenditionSpec(.fit($0, $0), .jpeg) }
                return try await pipeline.renditions(of: .url(ChangingOrigin.url(name)), as: specs)
            }
        case .prefetch(let id, let pictures):
            note(id, pictures)
            let token = prefetcher.start(pictures.map(\.request))
            state.withLock { state in
                state.works[id] = .prefetch(token)
                state.prefetched += pictures
            }
        case .stop(let pictures):
            // What is stopped may have been under way for each list.
            state.withLock { state in
                for picture in state.prefetched where pictures.contains(picture) {
                    state.cancels[picture.name, default: 0] += 1
                }
            }
            prefetcher.stop(pictures.map(\.request))
        case .cancel(let id): cancel(id)
        case .priority(let id, let priority):
            if case .task(let task, _) = state.withLock({ $0.works[id] }) { task.priority = priority }
        case .wait(let milliseconds): try await Task.sleep(for: .milliseconds(milliseconds))
        }
    }

    /// Waits for the end of everything.
    func finish() async throws {
        let works = state.withLock { $0.works.sorted { $0.key < $1.key } }
        for (id, work) in works {
            switch work {
            case .load(let task): await task.value
            case .task(_, let reader): await reader.value
            case .prefetch(let token):
                let summary = try await token.summary
                let wanted = state.withLock { Set($0.pictures[id] ?? []) }
                guard summary.total == wanted.count, summary.failed == 0, summary.refused == 0 else {
                    throw ScheduleError("prefetching \(wanted.count) ended with \(summary)")
                }
            }
        }
        if let violation = state.withLock(\.violation) { throw ScheduleError(violation) }
    }

    /// Throws if more was loaded or made than was wanted, and more than cancels explain.
    func check(_ origin: ChangingOrigin, _ events: EventBook, keepsSources: Bool) throws {
        let (wanted, cancels) = state.withLock { ($0.wanted, $0.cancels) }
        for name in 0..<2 {
            let sides = wanted.count { $0.name == name }
            let explained = (keepsSources ? min(sides, 1) : sides) + (cancels[name] ?? 0)
            guard origin.requestCount(name) <= explained else {
                throw ScheduleError(
                    "\(origin.requestCount(name)) requests for \(name), \(explained) are explained"
                )
            }
        }
        let explained = cancels.values.reduce(wanted.count, +)
        guard events.pictureCount <= explained else {
            throw ScheduleError("\(events.pictureCount) pictures made, \(explained) are explained")
        }
        if events.count(.shared) > 0 { sometimes("a load shares the work of another") }
        if events.count(.memory) > 0 { sometimes("a load finds its picture in memory") }
    }

    private func note(_ id: Int, _ pictures: [SharedWork.Picture]) {
        state.withLock { state in
            state.pictures[id] = pictures
            state.wanted.formUnion(pictures)
        }
    }

    private func start(
        _ id: Int,
        _ pictures: [SharedWork.Picture],
        _ load: @escaping @Sendable () async throws -> [Rendition]
    ) {
        note(id, pictures)
        let task = Task(name: "load \(id)") {
            do { self.judge(id, pictures, .success(try await load())) } catch {
                self.judge(id, pictures, .failure(error))
            }
        }
        state.withLock { $0.works[id] = .load(task) }
    }

    private func task(_ id: Int, _ picture: SharedWork.Picture, _ priority: WorkPriority) {
        note(id, [picture])
        var request = picture.request
        request.priority = priority
        let task = pipeline.task(for: request)
        let reader = Task(name: "reader of \(id)") {
            let result: Result<[Rendition], any Error>
            do { result = .success([try await task.value]) } catch { result = .failure(error) }
            self.judge(id, [picture], result)
            let isCancelled = if case .failure(is CancellationError) = result { true } else { false }
            if isCancelled != task.isCancelled { self.violation("task \(id) is not what its value says") }
        }
        state.withLock { $0.works[id] = .task(task, reader) }
    }

    private func cancel(_ id: Int) {
        guard let work = state.withLock({ $0.works[id] }) else { return }
        state.withLock { state in
            state.cancelled.insert(id)
            for picture in state.pictures[id] ?? [] { state.cancels[picture.name, default: 0] += 1 }
        }
        scheduleNote("\(id) is cancelled")
        switch work {
        case .load(let task): task.cancel()
        case .task(let task, _): task.cancel()
        case .prefetch(let token): token.cancel()
        }
    }

    private func judge(
        _ id: Int,
        _ pictures: [SharedWork.Picture],
        _ result: Result<[Rendition], any Error>
    ) {
        scheduleNote("load \(id) ends")
        switch result {
        case .success(let renditions):
            let names = renditions.map { TrialPictures.Print($0.size)?.name }
            if names != pictures.map(\.name) { violation("load \(id) of \(pictures) shows \(names)") }
        case .failure(is CancellationError):
            if !state.withLock({ $0.cancelled.contains(id) }) {
                violation("load \(id) was cancelled by nobody")
            }
        case .failure(let error): violation("load \(id) failed: \(error)")
        }
    }

    private func violation(_ text: String) {
        state.withLock { $0.violation = $0.violation ?? text }
    }
}
