import TaskFlow

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
