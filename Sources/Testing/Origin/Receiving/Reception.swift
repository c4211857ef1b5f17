import CalotypeCore
import CalotypePlatform
import TaskFlow

/// Everything that one origin receives, and its records.
final class Reception: Sendable {
    let store: FileStore
    let inbox = Guarded(Inbox())
    let uploads: Guarded<TusUploads>
    let posts = Guarded(PostBox())
    let mastodon = Guarded(MastodonState())
    let log = Guarded(RequestLog())

    private let tally: Tally

    init(_ configuration: OriginConfiguration, executor: ThreadExecutor, tally: Tally) {
        self.tally = tally
        store = FileStore(limit: configuration.receiveLimit, executor: executor, changed: tally.look)
        uploads = Guarded(TusUploads(lifetime: configuration.uploadLifetime / .seconds(1)))
    }

    /// Makes the tasks that wait for a reception check again.
    func changed() {
        tally.look()
    }

    /// The record up to now.
    var received: Received {
        Received(
            bytesKept: store.keptBytes.bytes,
            media: inbox.withLock(\.records),
            uploads: uploads.withLock(\.records),
            posts: posts.withLock(\.entries).map(PostService.record),
            mastodon: mastodon.withLock(\.record),
            requests: log.withLock(\.latest)
        )
    }
}

/// The last requests to receivers.
struct RequestLog: Sendable {
    private static let largestCount = 1000

    private(set) var entries: [Received.Request] = []

    mutating func add(_ entry: Received.Request) {
        if entries.count >= 2 * Self.largestCount { entries.removeFirst(Self.largestCount) }
        entries.append(entry)
    }

    /// The newest entries, oldest first.
    var latest: [Received.Request] { Array(entries.suffix(Self.largestCount)) }
}

/// The time of day.
enum Timestamp {
    /// Seconds since the start of 1970, to the microsecond.
    static func now() -> Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec / 1000) / 1_000_000
    }
}
