import CalotypeCore
import TaskFlow

/// Tells those who watch a source how much of it has come.
///
/// Those who come late are told at once where it stands. Bytes are handed on only while somebody wants to see the
/// picture grow.
final class SourceFeed: Sendable {
    /// Watches one source; called on the task that receives it, and must not block.
    struct Observer: Sendable {
        /// Told each time that more has come.
        let progress: @Sendable (SourceProgress) -> Void
        /// Given the bytes so far and what their header told; `nil` for those who need no bytes.
        var prefix: (@Sendable ([UInt8], ImageFacts) -> Void)?
        /// Told which version it is that comes, before any of its bytes; once more for another attempt.
        var version: (@Sendable (SourceVersion) -> Void)?
        /// Given the file that the bytes go to; before the progress that tells of them, and only where they go to no other.
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

    /// Tells which version it is that comes.
    func tell(_ version: SourceVersion) {
        let observers = state.withLock { state in
            state.version = version
            return state.observers.isEmpty ? [] : Array(state.observers.values)
        }
        for observer in observers { observer.version?(version) }
    }

    /// Whether the bytes go to a file that others read already.
    var isGrowing: Bool { state.withLock { $0.file != nil } }

    /// Tells to which file the bytes go, for others to read it while it grows.
    func grow(_ file: SpoolFile) {
        let observers = state.withLock { state in
            guard state.file == nil else { return [Observer]() }
            state.file = file
            return Array(state.observers.values)
        }
        for observer in observers { observer.file?(file) }
    }

    /// Forgets the version, for nothing comes any more: those who watch from now on ask the origin anew.
    func end() {
        state.withLock { state in
            state.version = nil
            // Another file begins with no byte.
            if state.file != nil { (state.file, state.progress) = (nil, nil) }
        }
    }

    /// Tells how much has come; a new attempt that starts again tells nothing until it is further than the last.
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

/// The feeds of the sources that come in or are watched; each goes with its last user.
final class SourceFeeds: Sendable {
    private struct Entry {
        let feed = SourceFeed()
        var users = 0
    }

    private let entries = Guarded<[SourceKey: Entry]>([:])

    /// The number of feeds.
    var count: Int { entries.withLock { $0.count } }

    /// The feed of a source, for one more user, who closes it.
    func open(_ key: SourceKey) -> SourceFeed {
        entries.withLock { entries in
            entries[key, default: Entry()].users += 1
            return entries[key]?.feed ?? SourceFeed()
        }
    }

    /// One user needs the feed no more.
    func close(_ key: SourceKey) {
        entries.withLock { entries in
            entries[key]?.users -= 1
            if entries[key]?.users == 0 { entries[key] = nil }
        }
    }

    /// Runs `body` while `observer` is told about the source.
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
