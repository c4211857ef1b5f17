import Calotype
import CalotypeTestKit

/// One way, tried once: what came of it and what it cost.
struct Trial: Sendable {
    /// When the caller changes its mind.
    enum Cancellation {
        case never, atOnce, halfway
    }

    /// What came of it, and when.
    private struct Return: Sendable {
        let outcome: String
        let time: ContinuousClock.Instant
        let running: Int
    }

    let outcome: String
    /// From the start, or from the cancellation, to the return.
    let time: Duration
    let started: Int
    let loaded: Int
    /// Loads that ran 50 ms after the cancellation, or when the way returned, if that came first.
    let leftRunning: Int
    /// Loads that ran when the way returned.
    let leftBehind: Int

    /// How long a cancelled way may take before it counts as running on.
    private static let patience = Duration.milliseconds(50)

    /// Tries `way` with a pipeline of its own, so that nothing is in its cache.
    static func of(_ way: Way, _ urls: [String], _ cancellation: Cancellation) async throws -> Trial {
        try await withImagePipeline { pipeline in
            try await Trial(way, urls, cancellation, PhotoLoader(pipeline: pipeline))
        }
    }

    private init(
        _ way: Way,
        _ urls: [String],
        _ cancellation: Cancellation,
        _ loader: PhotoLoader
    ) async throws {
        let mayBegin = Event()
        let task = Task {
            // A cancellation at once ends this wait, and the way begins in a cancelled task.
            try? await mayBegin.wait()
            let outcome = await way.outcome(urls, loader)
            return Return(outcome: outcome, time: .now, running: loader.running)
        }
        if cancellation == .atOnce { task.cancel() }
        mayBegin.signal()
        if cancellation == .halfway {
            try await loader.ended.wait(count: urls.count / 2)
            task.cancel()
        }
        let start = ContinuousClock.now
        async let runningLater = Self.running(loader, after: Self.patience)
        let end = await task.value
        outcome = end.outcome
        time = end.time - start
        leftBehind = end.running
        let isLate = cancellation != .never && time > Self.patience
        leftRunning = isLate ? try await runningLater : end.running
        // What was left running ends here, so that it does not disturb the next way.
        try await loader.ended.wait(count: loader.started.count)
        started = loader.started.count
        loaded = loader.loaded.count
    }

    private static func running(_ loader: PhotoLoader, after pause: Duration) async throws -> Int {
        try await Task.sleep(for: pause)
        return loader.running
    }
}
