import CalotypeCore
import TaskFlow

/// Counts the requests in the works, and turns away what is too much, at once.
///
/// Nobody waits here: who is let in waits at the gates of the pipeline, for connections apart from decodes, so that what hangs
/// at one does not hold up the other. The limit for one host keeps its sources from filling all of the queue.
final class RequestQueue: Sendable {
    /// A place in the queue; given up once.
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

    /// The most requests in the works; `Int.max` for as many as there are.
    let most: Int
    private let mostPerHost: Int
    private let state = Guarded(State())

    /// Creates an empty queue before `workers` decoders.
    init(_ limits: QueueLimits, workers: Int) {
        most = limits.length == 0 ? .max : limits.length + workers
        mostPerHost = limits.perSource == 0 ? .max : limits.perSource
    }

    /// The requests in the works.
    var count: Int { state.withLock { $0.count } }

    /// Whether nobody is let in now.
    var isFull: Bool { state.withLock { $0.count >= most } }

    /// Takes a place for a request whose source is at `host`.
    ///
    /// - Throws: 429, where there is none.
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
    /// What is told where too much is in the works.
    static let queueFull = ServerError(
        429,
        "Too many requests",
        .tooManyRequests,
        "as many requests are in the works as may be; ask again later"
    )
}

/// How many requests for pictures may be in the works at a time: loading, waiting for a decode, decoding.
public struct QueueLimits: Hashable, Sendable {
    /// The most in all, besides those that are being decoded: 1,024 by default; 0 for as many as there are connections.
    public var length = 1_024
    /// The most for sources of one host, 256 by default; 0 for as many as there are in all.
    public var perSource = 256

    /// Creates the default limits.
    public init() {}
}

/// A place in the queue that several parts of an answer hold; given up by the last.
final class HeldPlace: Sendable {
    private let place: RequestQueue.Place

    init(_ place: consuming RequestQueue.Place) {
        self.place = place
    }

    /// Keeps the place up to here.
    func stay() {}
}
