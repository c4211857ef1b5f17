import CalotypeCore
import TaskFlow

/// Reports to observers how much of a source has arrived.
///
/// New observers immediately receive the current progress. Bytes are passed on only while an observer wants
/// them.
final class SourceFeed: Sendable {
    /// Observes one source.
    ///
    /// Called on the task that receives it; must not block.
    struct Observer: Sendable {
        /// Called each time more bytes have arrived.
        let progress: @Sendable (SourceProgress) -> Void
        /// Receives the bytes so far and the facts in their header; `nil` for observers that need no bytes.
        var prefix: (@Sendable ([UInt8], ImageFacts) -> Void)?
        /// Receives the version that arrives, before any of its bytes.
        ///
        /// Called again for another attempt.
        var version: (@Sendable (SourceVersion) -> Void)?
        /// Receives the file that the bytes go to.
        ///
        /// Called before the progress that counts them, and only for the first such file.
        var file: (@Sendable (SpoolFile) -> Void)?
    }

    private struct State {
        var progress: SourceProgress?
        var version: SourceVersion?
        var file: SpoolFile?
        var observers: [UInt64: Observer] = [:]
        var lastID: UInt64 = 0
    }

    private let state = Guarded(State())

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

    /// Reports the version that arrives.
    func tell(_ version: SourceVersion) {
        let observers = state.withLock { state in
            state.version = version
            return state.observers.isEmpty ? [] : Array(state.observers.values)
        }
        for observer in observers { observer.version?(version) }
    }

    /// Whether the bytes go to a file that other loads read already.
    var isGrowing: Bool { state.withLock { $0.file != nil } }

    /// Announces the file that the bytes go to, so that others can read it while it grows.
    func grow(_ file: SpoolFile) {
        let observers = state.withLock { state in
            guard state.file == nil else { return [Observer]() }
            state.file = file
            return Array(state.observers.values)
        }
        for observer in observers { observer.file?(file) }
    }

    /// Forgets the version, because no more bytes arrive.
    ///
    /// New observers query the origin again.
    func end() {
        state.withLock { state in
            state.version = nil
            // Another file starts empty.
            if state.file != nil { (state.file, state.progress) = (nil, nil) }
        }
    }

    /// Reports how much has arrived.
    ///
    /// A new attempt reports nothing until it is further than the last one.
    func advance(
        to count: Int,
        of expected: ByteCount?,
        _ facts: ImageFacts?,
        prefix: @autoclosure () -> [UInt8]?
    ) {
        let (progress, observers) = state.withLock { state -> (SourceProgress?, [Observer]) in
            guard count > state.progress?.received.bytes ?? -1 else { return (nil, []) }
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

/// The feeds of the sources that are arriving or observed.
///
/// Each is removed with its last user.
final class SourceFeeds: Sendable {
    private struct Entry {
        let feed = SourceFeed()
        var users = 0
    }

    private let entries = Guarded<[SourceKey: Entry]>([:])

    /// The number of feeds.
    var count: Int { entries.withLock { $0.count } }

    /// Returns the feed of a source for another user, who closes it.
    func open(_ key: SourceKey) -> SourceFeed {
        entries.withLock { entries in
            entries[key, default: Entry()].users += 1
            return entries[key]?.feed ?? SourceFeed()
        }
    }

    /// Ends one user's use of the feed.
    func close(_ key: SourceKey) {
        entries.withLock { entries in
            entries[key]?.users -= 1
            if entries[key]?.users == 0 { entries[key] = nil }
        }
    }

    /// Runs `body` while `observer` observes the source.
    func observing<Output>(
        _ key: SourceKey,
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
