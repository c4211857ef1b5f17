import CalotypeCore
import TaskFlow

/// Counts the requests in progress, and refuses those over the limit immediately.
///
/// Nothing waits here. An admitted request waits at the gates of the pipeline, for connections separately
/// from decodes, so that a stall at one does not block the other. The limit per host keeps one host's sources
/// from filling the whole queue.
final class RequestQueue: Sendable {
    /// A place in the queue, released once.
    struct Place: ~Copyable {
        private let queue: RequestQueue
        private let host: String

        fileprivate init(_ queue: RequestQueue, _ host: String) {
            self.queue = queue
            self.host = host
        }

        deinit { queue.leave(host) }
    }

    private struct State {
        var count = 0
        var hosts: [String: Int] = [:]
    }

    /// The maximum number of requests in progress; `Int.max` for no limit.
    let most: Int
    private let mostPerHost: Int
    private let state = Guarded(State())

    /// Creates an empty queue for `workers` decoders.
    init(_ limits: QueueLimits, workers: Int) {
        most = limits.length == 0 ? .max : limits.length + workers
        mostPerHost = limits.perSource == 0 ? .max : limits.perSource
    }

    /// The number of requests in progress.
    var count: Int { state.withLock { $0.count } }

    /// Whether the queue admits no more requests now.
    var isFull: Bool { state.withLock { $0.count >= most } }

    /// Takes a place for a request whose source is at `host`.
    ///
    /// - Throws: A 429 if the queue is full.
    func enter(_ host: String) throws(ServerError) -> Place {
        let isLetIn = state.withLock { state in
            guard state.count < most, state.hosts[host, default: 0] < mostPerHost else { return false }
            state.count += 1
            state.hosts[host, default: 0] += 1
            return true
        }
        guard isLetIn else { throw .queueFull }
        return Place(self, host)
    }

    private func leave(_ host: String) {
        state.withLock { state in
            state.count -= 1
            let others = (state.hosts[host] ?? 1) - 1
            state.hosts[host] = others > 0 ? others : nil
        }
    }
}

extension ServerError {
    /// The error if the queue is full.
    static let queueFull = ServerError(
        429,
        "Too many requests",
        .tooManyRequests,
        "the queue is full; try again later"
    )
}

/// The maximum number of image requests in progress: loading, waiting for a decode, or decoding.
public struct QueueLimits: Hashable, Sendable {
    /// The maximum in total, besides those being decoded: 1,024 by default; 0 for no limit but connections.
    public var length = 1_024
    /// The maximum for sources of one host, 256 by default; 0 for no limit but the total.
    public var perSource = 256

    /// Creates the default limits.
    public init() {}
}

/// A place in the queue that several parts of a response share; the last one releases it.
final class HeldPlace: Sendable {
    private let place: RequestQueue.Place

    init(_ place: consuming RequestQueue.Place) {
        self.place = place
    }

    /// Holds the place until this call.
    func stay() {}
}
