import CalotypeCore
import TaskFlow

/// Reports to observers how much of a source has arrived.
///
/// One load at a time reports, through a ``SourceArrival``. New observers immediately receive its current
/// progress. Bytes are passed on only while an observer wants them.
final class SourceFeed: Sendable {
    /// Observes one source.
    ///
    /// Called on the task that receives it; must not block.
    struct Observer: Sendable {
        /// Called each time more bytes have arrived.
        let progress: @Sendable (SourceProgress) -> Void
        /// Receives the bytes so far and the facts in their header; `nil` for observers that need no bytes.
        var prefix: (@Sendable ([UInt8], ImageFacts) -> Void)?
        /// Called when another load begins; its bytes go to another file.
        var begin: (@Sendable () -> Void)?
        /// Receives the version that arrives, before any of its bytes.
        ///
        /// Called again for another attempt.
        var version: (@Sendable (SourceVersion) -> Void)?
        /// Receives the file that the bytes go to.
        ///
        /// Called once for each load, before the progress that counts them.
        var file: (@Sendable (SpoolFile) -> Void)?
    }

    private struct State {
        var progress: SourceProgress?
        var version: SourceVersion?
        var file: SpoolFile?
        var observers: [UInt64: Observer] = [:]
        var lastID: UInt64 = 0
        /// The load that reports; `nil` if there is none.
        var arrival: UInt64?
        var lastArrival: UInt64 = 0

        mutating func end() {
            (arrival, version) = (nil, nil)
            // Another file starts empty.
            if file != nil { (file, progress) = (nil, nil) }
        }
    }

    private let state = Guarded(State())

    /// Begins the reports of another load.
    ///
    /// Nothing is reported any longer of an earlier one, which nobody waits for.
    func begin() -> SourceArrival {
        let (number, observers) = state.withLock { state in
            state.end()
            state.lastArrival += 1
            state.arrival = state.lastArrival
            return (state.lastArrival, Array(state.observers.values))
        }
        for observer in observers { observer.begin?() }
        return SourceArrival(feed: self, number: number)
    }

    /// Adds an observer until it is removed.
    func add(_ observer: Observer) -> UInt64 {
        let (id, progress, version, file) = state.withLock { state in
            state.lastID += 1
            state.observers[state.lastID] = observer
            return (state.lastID, state.progress, state.version, state.file)
        }
        if let version { observer.version?(version) }
        if let file { observer.file?(file) }
        if let progress { observer.progress(progress) }
        return id
    }

    func remove(_ id: UInt64) {
        state.withLock { $0.observers[id] = nil }
    }

    fileprivate func tell(_ version: SourceVersion, by arrival: UInt64) {
        let observers = state.withLock { state in
            guard state.arrival == arrival else { return [Observer]() }
            state.version = version
            return Array(state.observers.values)
        }
        for observer in observers { observer.version?(version) }
    }

    fileprivate func isGrowing(by arrival: UInt64) -> Bool {
        state.withLock { $0.arrival == arrival && $0.file != nil }
    }

    fileprivate func grow(_ file: SpoolFile, by arrival: UInt64) {
        let observers = state.withLock { state in
            guard state.arrival == arrival, state.file == nil else { return [Observer]() }
            state.file = file
            return Array(state.observers.values)
        }
        for observer in observers { observer.file?(file) }
    }

    fileprivate func end(_ arrival: UInt64) {
        state.withLock { state in
            if state.arrival == arrival { state.end() }
        }
    }

    fileprivate func advance(
        to count: Int,
        of expected: ByteCount?,
        _ facts: ImageFacts?,
        by arrival: UInt64,
        prefix: () -> [UInt8]?
    ) {
        let (progress, observers) = state.withLock { state -> (SourceProgress?, [Observer]) in
            guard state.arrival == arrival, count > state.progress?.received.bytes ?? -1 else {
                return (nil, [])
            }
            let progress = SourceProgress(received: ByteCount(count), expected: expected)
            state.progress = progress
            return (progress, state.observers.isEmpty ? [] : Array(state.observers.values))
        }
        guard let progress, !observers.isEmpty else { return }
        for observer in observers { observer.progress(progress) }
        guard let facts, observers.contains(where: { $0.prefix != nil }), let bytes = prefix() else { return }
        for observer in observers { observer.prefix?(bytes, facts) }
    }
}

/// The reports of one load to the observers of its source.
struct SourceArrival: Sendable {
    fileprivate let feed: SourceFeed
    fileprivate let number: UInt64

    /// Whether the bytes go to a file that other loads read already.
    var isGrowing: Bool { feed.isGrowing(by: number) }

    /// Reports the version that arrives.
    func tell(_ version: SourceVersion) { feed.tell(version, by: number) }

    /// Announces the file that the bytes go to, so that others can read it while it grows.
    func grow(_ file: SpoolFile) { feed.grow(file, by: number) }

    /// Reports how much has arrived.
    ///
    /// A new attempt reports nothing until it is further than the last one.
    func advance(
        to count: Int,
        of expected: ByteCount?,
        _ facts: ImageFacts?,
        prefix: @autoclosure () -> [UInt8]?
    ) {
        feed.advance(to: count, of: expected, facts, by: number, prefix: prefix)
    }

    /// Ends the reports, because no more bytes arrive or nobody waits for them.
    ///
    /// New observers learn only what another load reports.
    func end() { feed.end(number) }
}

/// The feeds of the sources that are arriving or observed.
///
/// Each is removed with its last user.
final class SourceFeeds: Sendable {
    /// What the users of one feed have in common.
    struct Key: Hashable, Sendable {
        let source: SourceKey
        /// When the source last changed: loads from before and after a change may run side by side.
        let moment: SourceChanges.Moment
    }

    private struct Entry {
        let feed = SourceFeed()
        var users = 0
    }

    private let entries = Guarded<[Key: Entry]>([:])

    /// The number of feeds.
    var count: Int { entries.withLock { $0.count } }

    /// Returns the feed of a source for another user, who closes it.
    func open(_ key: Key) -> SourceFeed {
        entries.withLock { entries in
            entries[key, default: Entry()].users += 1
            return entries[key]?.feed ?? SourceFeed()
        }
    }

    /// Ends one user's use of the feed.
    func close(_ key: Key) {
        entries.withLock { entries in
            entries[key]?.users -= 1
            if entries[key]?.users == 0 { entries[key] = nil }
        }
    }

    /// Runs `body` while `observer` observes the source.
    func observing<Output>(
        _ key: Key,
        _ observer: SourceFeed.Observer,
        during body: () async throws -> Output
    ) async throws -> Output {
        let feed = open(key)
        let id = feed.add(observer)
        defer {
            feed.remove(id)
            close(key)
        }
        return try await body()
    }
}
