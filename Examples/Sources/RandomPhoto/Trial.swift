import Calotype
import CalotypeTestKit

/// One run of one way: its outcome and its costs.
struct Trial: Sendable {
    /// When the caller cancels.
    enum Cancellation {
        case never, atOnce, halfway
    }

    /// The outcome, and when it was returned.
    private struct Return: Sendable {
        let outcome: String
        let time: ContinuousClock.Instant
        let running: Int
    }

    let outcome: String
    /// The time from the start, or from the cancellation, to the return.
    let time: Duration
    let started: Int
    let loaded: Int
    /// Loads that were running 50 ms after the cancellation, or when the way returned, if that was earlier.
    let leftRunning: Int
    /// Loads that were running when the way returned.
    let leftBehind: Int

    /// How long a cancelled way may take to end.
    private static let patience = Duration.milliseconds(50)

    /// Runs `way` with a new pipeline, so that its cache is empty.
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
            // An immediate cancellation ends this wait, and the way begins in a cancelled task.
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
        // Ends the remaining loads, so that they do not disturb the next way.
        try await loader.ended.wait(count: loader.started.count)
        started = loader.started.count
        loaded = loader.loaded.count
    }

    private static func running(_ loader: PhotoLoader, after pause: Duration) async throws -> Int {
        try await Task.sleep(for: pause)
        return loader.running
    }
}
