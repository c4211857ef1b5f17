import Calotype
import CalotypeCodec
import CalotypeCore
import CalotypeHTTP
import CalotypeTestKit
import TaskFlowTesting

/// A pipeline over a scripted origin, in one run of a schedule.
enum TrialPipeline {
    /// What a pipeline needs that leaves nothing to chance: a virtual wall clock, and no second attempts after random pauses.
    static func configuration(_ transport: ScriptedTransport) -> PipelineConfiguration {
        var configuration = PipelineConfiguration()
        configuration.exchange = transport
        configuration.retries = 0
        configuration.codec.threads = 2
        configuration.codec.memory = .mebibytes(8)
        configuration.observer = { event in
            scheduleNote("the pipeline's load \(event.load): \(event.kind)")
        }
        let start = ContinuousClock.now
        configuration.wallClock = {
            WallTime(secondsSince1970: 1_000_000) + start.duration(to: ContinuousClock.now)
        }
        return configuration
    }

    /// Runs `body` with a pipeline whose decodes take up to `slowness` times ten milliseconds, sees that it becomes quiet, and that nothing is left when its scope has ended.
    static func run<Output: Sendable>(
        _ configuration: PipelineConfiguration,
        _ transport: ScriptedTransport,
        store: SlowStore? = nil,
        slowness: Int = 0,
        _ body: @Sendable (ImagePipeline) async throws -> Output
    ) async throws -> Output {
        var configuration = configuration
        configuration.store = store
        let output = try await withImageCodec(configuration.codec) { codec in
            try await withImagePipeline(configuration, codec: SlowCodec(codec, slowness: slowness)) {
                pipeline in
                let output = try await body(pipeline)
                try await expectQuiet(pipeline)
                return output
            }
        }
        try expectNothingLeft(transport, store)
        return output
    }

    /// Waits until nothing can go on but by time, and then throws if the pipeline still holds something.
    static func expectQuiet(_ pipeline: ImagePipeline) async throws {
        try await Task.sleep(for: .seconds(30))
        guard !pipeline.snapshot.isQuiet else { return }
        throw ScheduleError("the pipeline is not quiet: \(pipeline.snapshot)")
    }

    /// Throws if something goes on although the scope of the pipeline has ended.
    static func expectNothingLeft(_ transport: ScriptedTransport, _ store: SlowStore?) throws {
        guard transport.statistics.open == 0 else {
            throw ScheduleError("exchanges go on after the pipeline's end: \(transport)")
        }
        guard (store?.callCount ?? 0) == 0 else {
            throw ScheduleError("calls of the store go on after the pipeline's end")
        }
    }
}
