import Calotype
import Dispatch

/// A way to get a picture into a label.
struct Way: Sendable {
    let name: String
    var executor: (any TaskExecutor)?
    let load: @Sendable @MainActor (ImageRequest, ImagePipeline, PictureLabel) async throws -> Void

    static let all = [
        // The same code as the last one; only the pipeline's executor differs.
        Way(name: "decoded on the main actor", executor: MainQueueExecutor(), load: assignment),
        Way(name: "callback code that hops back", load: callback),
        Way(name: "decoded elsewhere, assigned here", load: assignment),
    ]

    @MainActor
    private static func assignment(
        _ request: ImageRequest,
        _ pipeline: ImagePipeline,
        _ label: PictureLabel
    ) async throws {
        label.show(try await pipeline.bitmap(for: request))
    }

    /// Code as it was written before async: a block elsewhere, and a block on the main queue inside it.
    @MainActor
    private static func callback(
        _ request: ImageRequest,
        _ pipeline: ImagePipeline,
        _ label: PictureLabel
    ) async throws {
        let load = Job { try await pipeline.bitmap(for: request) }
        try await withCallback { controller in
            load.perform { result in
                DispatchQueue.main.async {
                    MainActor.assumeIsolated {
                        if case .success(let picture) = result { label.show(picture) }
                    }
                    controller.finish(with: result.map { _ in })
                }
            }
        }
    }
}

/// Runs tasks on the main actor's thread, like a program that decodes in its views.
final class MainQueueExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        DispatchQueue.main.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
