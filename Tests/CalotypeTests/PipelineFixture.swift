import CalotypeCodec
import CalotypeCore
import CalotypeTestKit
import TaskFlow
import Testing

@testable import Calotype

/// A pipeline over a scripted origin, run step by step: nothing moves but in ``settle()``, and time stands still.
///
/// All of the pipeline's tasks, decodes and file accesses run on one manual executor, so that a test knows what has
/// happened and what has not, without waiting for anything.
struct PipelineFixture {
    /// Answers every URL with ``photo`` unless the test says otherwise.
    let origin: ScriptedTransport
    let clock: ManualClock
    let codec: HeldCodec
    let pipeline: ImagePipeline
    /// What the pipeline's observer was told.
    let events: Recorder<PipelineEvent>
    private let executor: ManualExecutor

    /// JPEG, 64 by 48 pixels.
    static let photo = TinyPicture.jpeg(PixelSize(width: 64, height: 48))

    /// Runs `body` with a pipeline that it steps, and expects that nothing is left of it.
    ///
    /// The pipeline tries no source twice and keeps the defaults else.
    static func open(
        holding holds: Set<HeldCodec.Hold> = [],
        clock: ManualClock = ManualClock(),
        _ configure: (inout PipelineConfiguration) -> Void = { _ in },
        _ body: (PipelineFixture) async throws -> Void
    ) async throws {
        let (executor, events) = (ManualExecutor(), Recorder<PipelineEvent>())
        let origin = ScriptedTransport(clock: clock, otherwise: .bytes(photo))
        var configuration = PipelineConfiguration()
        configuration.retries = 0
        configuration.exchange = origin
        configuration.clock = clock
        configuration.executor = executor
        configuration.observer = { events.record($0) }
        configure(&configuration)
        let codec = HeldCodec(ImageCodec(configuration.codec, executor: executor), holding: holds)
        try await running(configuration, codec, executor) { pipeline in
            try await body(
                PipelineFixture(
                    origin: origin,
                    clock: clock,
                    codec: codec,
                    pipeline: pipeline,
                    events: events,
                    executor: executor
                )
            )
            executor.runUntilIdle()
            #expect(pipeline.snapshot == PipelineSnapshot())
            #expect(origin.statistics.open == 0)
        }
    }

    private static func running(
        _ configuration: PipelineConfiguration,
        _ codec: HeldCodec,
        _ executor: ManualExecutor,
        _ body: (ImagePipeline) async throws -> Void
    ) async throws {
        let (ready, leave, ended) = (Latch<ImagePipeline>(), Event(), Event())
        let owner = Task(executorPreference: executor) {
            defer { ended.signal() }
            try await withImagePipeline(configuration, codec: codec) { pipeline in
                ready.set(pipeline)
                try await leave.wait()
            }
        }
        executor.runUntilIdle()
        let pipeline = try #require(ready.value)
        var failure: (any Error)?
        do { try await body(pipeline) } catch { failure = error }
        leave.signal()
        executor.runUntilIdle()
        while !ended.hasHappened {
            try await executor.waitForJobs(1)
            executor.runUntilIdle()
        }
        try await owner.value
        if let failure { throw failure }
    }

    /// Lets everything go on until all of it waits for the test.
    func settle() {
        executor.runUntilIdle()
    }

    /// Lets up to `count` jobs go on, each picked at random of those that wait.
    func settle(_ count: Int, using random: inout some RandomNumberGenerator) {
        for _ in 0..<count where executor.queuedCount > 0 {
            executor.runOne { Int.random(in: 0..<$0, using: &random) }
        }
    }

    /// Starts `operation` on the executor, up to where it waits for the test.
    func start<Output: Sendable>(
        _ operation: @escaping @Sendable (ImagePipeline) async throws -> Output
    ) -> Task<Output, any Error> {
        let task = create(operation)
        settle()
        return task
    }

    /// Creates a task of `operation` that has not begun.
    func create<Output: Sendable>(
        _ operation: @escaping @Sendable (ImagePipeline) async throws -> Output
    ) -> Task<Output, any Error> {
        Task(executorPreference: executor) { [pipeline] in try await operation(pipeline) }
    }

    /// Starts a load, up to where it waits for the test.
    func ask(_ request: ImageRequest) -> Task<Rendition, any Error> {
        start { try await $0.rendition(for: request) }
    }

    /// Moves the clock and lets everything go on.
    func advance(by duration: Duration) {
        clock.advance(by: duration)
        settle()
    }

    /// Makes `event` happen and lets everything go on.
    func signal(_ event: Event) {
        event.signal()
        settle()
    }

    /// Cancels `task` and lets everything go on.
    func cancel<Output>(_ task: Task<Output, any Error>) {
        task.cancel()
        settle()
    }

    /// A request for a picture of the origin's.
    func request(_ name: String = "photo.jpg", _ side: Int = 32) -> ImageRequest {
        ImageRequest(url(name), .fit(side, side))
    }

    func url(_ name: String) -> String { "http://origin.test/\(name)" }

    /// The origin answers `name` with the photo once the event has happened.
    func hold(_ name: String = "photo.jpg") throws -> Event {
        let event = Event()
        try origin.answer(url(name), with: .bytes(PipelineFixture.photo).after(.until(event)))
        return event
    }

    /// What the events so far tell, load by load.
    func kinds(of load: UInt64) -> [PipelineEvent.Kind] {
        events.values.filter { $0.load == load }.map(\.kind)
    }
}

/// The code that `operation` fails with; `nil` when it succeeds, `cancelled` when it was cancelled.
func code<Output>(of task: Task<Output, any Error>) async -> String? {
    switch await task.result {
    case .success: nil
    case .failure(let error as CalotypeError): error.code.rawValue
    case .failure(let failure as CalotypeError): failure.code.rawValue
    case .failure(is CancellationError): "cancelled"
    case .failure(let error): "\(error)"
    }
}
