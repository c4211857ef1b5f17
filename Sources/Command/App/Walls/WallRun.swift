import Calotype
import CalotypeBulk
import CalotypeCore
import TaskFlow

/// Loads the pictures of a wall, or some of them again, and remembers the outcomes.
///
/// It outlives the requests that watch it. It ends when all pictures are loaded, when it is cancelled, or when
/// nobody has watched it for a minute.
final class WallRun: Sendable {
    /// The counts of a wall.
    struct Figures: Hashable, Sendable {
        var done = 0
        var failed = 0
        /// The number of loads in progress.
        var loading = 0
    }

    /// How a run ended.
    enum Ending: String, Encodable, Sendable {
        /// Every picture has an outcome.
        case finished
        case cancelled
        /// Nobody watched it.
        case abandoned
    }

    private struct Record {
        /// The outcomes in the order in which the loads ended.
        var outcomes: [FetchOutcome] = []
        var figures = Figures()

        mutating func add(_ outcome: FetchOutcome) {
            outcomes.append(outcome)
            if outcome.status == .ok { figures.done += 1 } else { figures.failed += 1 }
        }
    }

    private struct Watch {
        /// The number of requests that watch.
        var viewers = 0
        /// When the number last changed.
        var since: Duration
        var isCancelled = false
    }

    /// The number of pictures that a wall loads at the same time; the pipeline's gates also limit them.
    static let width = 128
    /// The time without viewers after which a run ends.
    static let grace = Duration.seconds(60)

    let wall: Wall
    /// Tells that there are new outcomes, and finishes when the run has ended.
    let change = LatestValue<Void>()
    /// Set when all loads have ended.
    let ended = Latch<Ending>()
    private let items: [ListItem]
    /// The positions of entries that failed before; caches must not answer for them again.
    private let failedBefore: Set<Int>
    private let record: Guarded<Record>
    private let clock: any Clock<Duration>
    private let stopwatch: Stopwatch
    private let watch: LatestValue<Watch>

    var isRunning: Bool { ended.value == nil }
    /// `running`, or how it ended.
    var state: String { ended.value?.rawValue ?? "running" }

    /// Creates a run that loads all pictures.
    convenience init(_ wall: Wall) {
        self.init(wall, wall.contents.items, keeping: [], failedBefore: [])
    }

    private init(_ wall: Wall, _ items: [ListItem], keeping outcomes: [FetchOutcome], failedBefore: Set<Int>)
    {
        self.wall = wall
        self.items = items
        self.failedBefore = failedBefore
        var record = Record()
        for outcome in outcomes { record.add(outcome) }
        self.record = Guarded(record)
        clock = wall.services.configuration.clock
        stopwatch = Stopwatch(clock)
        watch = LatestValue(Watch(since: stopwatch.now))
    }

    /// Returns a run that loads the entries at `indexes` again, or all that failed or were not loaded; `nil` if
    /// there are none.
    ///
    /// It has the outcomes of the others from the start.
    func repeated(_ indexes: Set<Int>?) -> WallRun? {
        let outcomes = outcomes
        let done = Set(outcomes.filter { $0.status == .ok }.map(\.index))
        let items = wall.contents.items.filter { item in
            !done.contains(item.index) && indexes?.contains(item.index) ?? true
        }
        guard !items.isEmpty else { return nil }
        let repeated = Set(items.map(\.index))
        return WallRun(
            wall,
            items,
            keeping: outcomes.filter { !repeated.contains($0.index) },
            failedBefore: repeated.intersection(outcomes.map(\.index))
        )
    }

    // MARK: Outcomes

    var figures: Figures { record.withLock(\.figures) }
    /// All outcomes, in the order in which the loads ended.
    var outcomes: [FetchOutcome] { record.withLock(\.outcomes) }

    /// Returns outcomes after the first `count`, limited so that an event stays small.
    func outcomes(after count: Int) -> ArraySlice<FetchOutcome> {
        // A copy: a slice in use would make the next append copy the whole array.
        let rest = record.withLock { Array($0.outcomes[count...].prefix(WallEvents.mostEntries)) }
        var bytes = 0
        return rest.prefix { outcome in
            defer { bytes += outcome.url.utf8.count }
            return bytes < WallEvents.mostBytes
        }
    }

    // MARK: Viewers

    /// The time until the run ends unless somebody watches it; `nil` if somebody does, or if it has ended.
    var timeLeft: Duration? {
        guard isRunning, let watch = watch.current, watch.viewers == 0 else { return nil }
        return timeLeft(of: watch)
    }

    private func timeLeft(of watch: Watch) -> Duration {
        max(Self.grace - (stopwatch.now - watch.since), .zero)
    }

    /// Counts as a viewer until `body` returns.
    func watched<Output>(_ body: () async throws -> Output) async rethrows -> Output {
        addViewers(1)
        defer { addViewers(-1) }
        return try await body()
    }

    private func addViewers(_ count: Int) {
        let now = stopwatch.now
        watch.update { watch in
            watch.viewers += count
            watch.since = now
            return false
        }
    }

    /// Cancels the run, and returns when all loads have ended.
    ///
    /// - Throws: `CancellationError` if the task is cancelled first; the run ends all the same.
    func cancel() async throws {
        watch.update { watch in
            watch.isCancelled = true
            return true
        }
        _ = try await ended.wait()
    }

    /// Ends the run unless somebody watches it.
    @discardableResult
    func abandon() -> Bool {
        watch.update { $0.viewers == 0 }
    }

    /// Waits until the run is cancelled or abandoned.
    private func untilLeft() async -> Ending {
        for await watch in watch.makeReader() where watch.viewers == 0 {
            if await staysUnwatched(for: timeLeft(of: watch)), abandon() { return .abandoned }
        }
        return Task.isCancelled || watch.current?.isCancelled == true ? .cancelled : .abandoned
    }

    /// Waits for a viewer, and returns whether none came in time.
    private func staysUnwatched(for time: Duration) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                for await watch in self.watch.makeReader() where watch.viewers > 0 { break }
                return false
            }
            group.addTask { (try? await self.clock.sleep(for: time)) != nil }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
    }

    // MARK: Loads

    /// Loads the pictures, and returns when all loads have ended.
    func load() async {
        let ending = await withTaskGroup(of: Ending.self) { group in
            group.addTask(name: "wall loads") {
                await self.loadAll()
                return .cancelled
            }
            group.addTask(name: "wall viewers") { await self.untilLeft() }
            defer { group.cancelAll() }
            return await group.next() ?? .cancelled
        }
        let figures = figures
        ended.set(figures.done + figures.failed == wall.total ? .finished : ending)
        change.finish()
    }

    private func loadAll() async {
        await withConcurrentResults(of: items, limit: Self.width, name: "wall") { item in
            self.began()
            let outcome = await self.outcome(of: item)
            self.ended(outcome)
            return outcome != nil
        } body: { results in
            for await element in results where (try? element.result.get()) == true { change.send(()) }
        }
    }

    private func began() {
        record.withLock { $0.figures.loading += 1 }
    }

    /// Records the outcome of a load; `nil` if the load was cancelled.
    private func ended(_ outcome: FetchOutcome?) {
        record.withLock { record in
            record.figures.loading -= 1
            if let outcome { record.add(outcome) }
        }
    }

    /// Returns the outcome of an entry; `nil` if its load was cancelled.
    private func outcome(of item: ListItem) async -> FetchOutcome? {
        do {
            var request = try wall.request(for: item)
            if failedBefore.contains(item.index) { request.cachePolicy = .reload }
            return .loaded(item, try await wall.services.pipeline.load(request))
        } catch let error as CalotypeError {
            return .failed(item, error)
        } catch is CancellationError {
            return nil
        } catch {
            return .failed(item, CalotypeError(.invalidRequest, "\(error)", stage: .request))
        }
    }
}
