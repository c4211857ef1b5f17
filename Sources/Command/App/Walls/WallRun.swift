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

    /// The number of pictures that a wall loads at the same time; the pipeline's gates also limit them.
    static let width = 128

    let wall: Wall
    let viewers: WallViewers
    /// Signals new outcomes; finishes when the run has ended.
    let change = LatestValue<Void>()
    /// Set when all loads have ended.
    let ended = Latch<Ending>()
    private let items: [ListItem]
    /// The positions of entries that failed before; caches must not answer for them again.
    private let failedBefore: Set<Int>
    private let record: Guarded<Record>

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
        viewers = WallViewers(wall.services.configuration.clock)
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
            let caption = wall.item(outcome.index)?.caption
            defer { bytes += outcome.url.utf8.count + (caption?.utf8.count ?? 0) }
            return bytes < WallEvents.mostBytes
        }
    }

    // MARK: Loads

    /// The time until the run ends unless somebody watches it; `nil` if somebody does, or if it has ended.
    var timeLeft: Duration? { isRunning ? viewers.timeLeft : nil }

    /// Cancels the run, and returns when all loads have ended.
    ///
    /// - Throws: `CancellationError` if the task is cancelled first; the run ends all the same.
    func cancel() async throws {
        viewers.cancel()
        _ = try await ended.wait()
    }

    /// Loads the pictures, and returns when all loads have ended.
    func load() async {
        let ending = await withTaskGroup(of: Ending.self) { group in
            group.addTask(name: "wall loads") {
                await self.loadAll()
                return .cancelled
            }
            group.addTask(name: "wall viewers") { await self.viewers.untilLeft() }
            defer { group.cancelAll() }
            return await group.next() ?? .cancelled
        }
        let figures = figures
        ended.set(figures.done + figures.failed == wall.total ? .finished : ending)
        change.finish()
    }

    private func loadAll() async {
        await withConcurrentResults(of: items, limit: Self.width, name: "wall") { item in
            self.loadBegan()
            let outcome = await self.outcome(of: item)
            self.loadEnded(outcome)
            return outcome != nil
        } body: { results in
            for await element in results where (try? element.result.get()) == true { change.send(()) }
        }
    }

    private func loadBegan() {
        record.withLock { $0.figures.loading += 1 }
    }

    /// Records the outcome of a load; `nil` if the load was cancelled.
    private func loadEnded(_ outcome: FetchOutcome?) {
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
