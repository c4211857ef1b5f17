internal import TaskFlow

/// How a publication goes on: its newest state, at most so often, until the last.
///
/// Any number may read it, each at its own pace; a slow reader skips states and holds up nothing. It ends with the state whose
/// stage is a last one.
///
/// ```swift
/// let progress = PublishProgress()
/// async let published = publisher.publish(post, to: server, progress: progress)
/// for await state in progress { show(state.fraction) }
/// print(try await published.url ?? "published")
/// ```
public final class PublishProgress: AsyncSequence, Sendable {
    /// How far it has come.
    public typealias Element = PublishState
    /// It never fails.
    public typealias Failure = Never

    private struct Board {
        var state = PublishState()
        var version = 0
        var isEnded = false
        var readers: [Int: AsyncStream<Void>.Continuation] = [:]
        var lastReader = 0
    }

    private let board = Guarded(Board())
    private let interval: Duration
    private let end = Latch<Void>()
    private let clock: any Clock<Duration>

    /// Creates the progress of one publication.
    ///
    /// - Parameters:
    ///   - interval: The least time between two states, 125 ms by default; the last one does not wait for it.
    ///   - clock: What measures it.
    public init(interval: Duration = .milliseconds(125), clock: any Clock<Duration> = ContinuousClock()) {
        self.interval = interval
        self.clock = clock
    }

    /// The newest state.
    public var current: PublishState { board.withLock { $0.state } }

    /// Creates a reader that begins with the newest state.
    public func makeAsyncIterator() -> AsyncIterator {
        let (changes, reader) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let (id, isEnded) = board.withLock { board in
            board.lastReader += 1
            if !board.isEnded { board.readers[board.lastReader] = reader }
            return (board.lastReader, board.isEnded)
        }
        reader.onTermination = { [weak self] _ in self?.forget(id) }
        reader.yield()
        if isEnded { reader.finish() }
        return AsyncIterator(progress: self, changes: changes.makeAsyncIterator())
    }

    /// Changes the state, and tells the readers; without effect after the last one.
    package func update(_ change: (inout PublishState) -> Void) {
        let (readers, isLast) = board.withLock { board -> ([AsyncStream<Void>.Continuation], Bool) in
            guard !board.isEnded else { return ([], false) }
            change(&board.state)
            board.version += 1
            board.isEnded = board.state.stage.isLast
            defer { if board.isEnded { board.readers = [:] } }
            return (Array(board.readers.values), board.isEnded)
        }
        for reader in readers {
            reader.yield()
            if isLast { reader.finish() }
        }
        if isLast { end.set(()) }
    }

    fileprivate var newest: (state: PublishState, version: Int) {
        board.withLock { ($0.state, $0.version) }
    }

    /// Waits until the next state may be told: the last one at once.
    fileprivate func pause() async throws {
        do {
            try await withTimeout(interval, clock: clock) { [end] in try await end.wait() }
        } catch is DeadlineExceeded {}
    }

    private func forget(_ id: Int) {
        let reader = board.withLock { $0.readers.removeValue(forKey: id) }
        withExtendedLifetime(reader) {}
    }
}

extension PublishProgress {
    /// Reads the states of one publication.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let progress: PublishProgress
        fileprivate var changes: AsyncStream<Void>.Iterator
        private var seen: Int?

        fileprivate init(progress: PublishProgress, changes: AsyncStream<Void>.Iterator) {
            self.progress = progress
            self.changes = changes
        }

        /// Waits for a state that was not told yet; `nil` after the last one, and when the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> PublishState? {
            if seen != nil {
                do { try await progress.pause() } catch { return nil }
            }
            while await changes.next(isolation: actor) != nil {
                let (state, version) = progress.newest
                guard version != seen else { continue }
                seen = version
                return state
            }
            return nil
        }
    }
}

@available(*, unavailable)
extension PublishProgress.AsyncIterator: Sendable {}
