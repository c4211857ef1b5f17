internal import TaskFlow

/// The progress of a publication: its newest state, at a limited rate, until the final one.
///
/// Any number of readers may read it, each at its own pace; a slow reader skips states and delays nobody. The
/// sequence ends after a state with a final stage.
///
/// ```swift
/// let progress = PublishProgress()
/// async let published = publisher.publish(post, to: server, progress: progress)
/// for await state in progress { show(state.fraction) }
/// print(try await published.url ?? "published")
/// ```
public final class PublishProgress: AsyncSequence, Sendable {
    /// The state of the publication.
    public typealias Element = PublishState
    /// The sequence never fails.
    public typealias Failure = Never

    private let latest = LatestValue(PublishState())
    private let interval: Duration
    private let end = Latch<Void>()
    private let clock: any Clock<Duration>

    /// Creates the progress of one publication.
    ///
    /// - Parameters:
    ///   - interval: The minimum time between two states, 125 ms by default; the final state is not delayed.
    ///   - clock: The clock that measures the interval.
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

    /// Changes the state and notifies the readers; has no effect after the final state.
    package func update(_ change: (inout PublishState) -> Void) {
        let isLast = latest.update { state in
            change(&state)
            return state.stage.isLast
        }
        if isLast { end.set(()) }
    }

    /// Waits until the next state may be delivered; the final state is delivered immediately.
    fileprivate func pause() async throws {
        do {
            try await withTimeout(interval, clock: clock) { [end] in try await end.wait() }
        } catch TaskFlowError.Code.deadlineExceeded {}
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

        /// Waits for a new state; returns `nil` after the final one, or if the task is cancelled.
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
