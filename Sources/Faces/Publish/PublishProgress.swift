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

    private let latest = LatestValue(PublishState())
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
    public var current: PublishState { latest.current ?? PublishState() }

    /// Creates a reader that begins with the newest state.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(progress: self, reader: latest.makeReader())
    }

    /// Changes the state, and tells the readers; without effect after the last one.
    package func update(_ change: (inout PublishState) -> Void) {
        let isLast = latest.update { state in
            change(&state)
            return state.stage.isLast
        }
        if isLast { end.set(()) }
    }

    /// Waits until the next state may be told: the last one at once.
    fileprivate func pause() async throws {
        do {
            try await withTimeout(interval, clock: clock) { [end] in try await end.wait() }
        } catch is DeadlineExceeded {}
    }
}

extension PublishProgress {
    /// Reads the states of one publication.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let progress: PublishProgress
        fileprivate let reader: LatestValue<PublishState>.Reader
        private var hasBegun = false

        fileprivate init(progress: PublishProgress, reader: LatestValue<PublishState>.Reader) {
            self.progress = progress
            self.reader = reader
        }

        /// Waits for a state that was not told yet; `nil` after the last one, and when the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> PublishState? {
            if hasBegun {
                do { try await progress.pause() } catch { return nil }
            }
            hasBegun = true
            return await reader.next()
        }
    }
}

@available(*, unavailable)
extension PublishProgress.AsyncIterator: Sendable {}
