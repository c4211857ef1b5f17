import CalotypeCore
import TaskFlow

/// All that one origin receives and what is known of it.
final class Reception: Sendable {
    let store: FileStore
    let inbox = Guarded(Inbox())
    let posts = Guarded(PostBox())
    let log = Guarded(RequestLog())

    init(limit: ByteCount, executor: ThreadExecutor) {
        store = FileStore(limit: limit, executor: executor)
    }

    /// What was received up to now.
    var received: Received {
        Received(
            bytesKept: store.keptBytes.bytes,
            media: inbox.withLock(\.records),
            posts: posts.withLock(\.entries).map(PostService.record),
            requests: log.withLock(\.latest)
        )
    }
}
