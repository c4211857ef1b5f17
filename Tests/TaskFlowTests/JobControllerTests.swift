import Dispatch
import TaskFlow
import TaskFlowTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct JobControllerTests {
    private let kept = Guarded<JobController<Int>?>(nil)
    private let begun = Event()

    /// A job whose controller the test holds.
    private var held: Job<Int> {
        Job(of: Int.self) { [kept, begun] controller in
            kept.withLock { $0 = controller }
            begun.signal()
        }
    }

    private func takeController() async throws -> JobController<Int> {
        try await begun.wait()
        return try #require(kept.withLock { $0.take() })
    }

    @Test func `a controller finishes or fails a job, within the closure or later`() async throws {
        try await Job { controller in controller.finish() }.run()
        await #expect(throws: Failure.self) { try await Job { $0.fail(with: Failure()) }.run() }
        let output = try await Job(of: Int.self) { $0.finish(with: .success(3)) }.run()
        #expect(output == 3)

        let run = Task { [held] in try await held.run() }
        try await takeController().finish(7)
        #expect(try await run.value == 7)
    }

    @Test func `a controller that is released fails the job and names the place`() async throws {
        let line = #line + 1
        let job = Job { _ in }
        let error = await #expect(throws: TaskFlowError.self) { try await job.run() }
        #expect(error?.code == .jobAbandoned)
        #expect(error?.location == CodeLocation(fileID: #fileID, line: line))
        #expect(error?.description.contains("JobControllerTests.swift:\(line)") == true)

        let run = Task { [held] in try await held.run() }
        _ = try await takeController()
        let second = await #expect(throws: TaskFlowError.self) { try await run.value }
        #expect(second?.code == .jobAbandoned)
    }

    @Test func `the first of two calls decides, and the second is reported`() async throws {
        let misuses = Recorder<JobMisuse>()
        let line = #line + 1
        let job = Job(of: Int.self) { controller in
            controller.finish(1)
            controller.fail(with: Failure())
            controller.finish(2)
        }
        let handler = JobMisuse.Handler { misuses.record($0) }
        let output = try await JobMisuse.$handler.withValue(handler) { try await job.run() }
        #expect(output == 1)
        #expect(
            misuses.values.map(\.location)
                == Array(repeating: CodeLocation(fileID: #fileID, line: line), count: 2)
        )
    }

    @Test func `a second call from another thread, after the end, is reported to the handler of the run`()
        async throws
    {
        let misuses = Recorder<JobMisuse>()
        let run = JobMisuse.$handler.withValue(.init { misuses.record($0) }) {
            Task { [held] in try await held.run() }
        }
        let controller = try await takeController()
        controller.finish(1)
        #expect(try await run.value == 1)
        DispatchQueue.global().async { controller.finish(2) }
        try await misuses.wait(count: 1)
    }

    @Test func `without a handler a debug build stops at a second call`() async {
        await #expect(processExitsWith: .failure) {
            try await Job { controller in
                controller.finish()
                controller.finish()
            }.run()
        }
    }

    @Test func `a controller learns of the cancellation, and decides what comes of it`() async throws {
        let told = Event()
        let run = Task { [held] in try await held.run() }
        let controller = try await takeController()
        controller.onCancel { _ in told.signal() }
        #expect(!controller.isCancelled)
        run.cancel()
        #expect(told.hasHappened)
        #expect(controller.isCancelled)
        controller.finish(5)
        #expect(try await run.value == 5)
    }

    @Test func `a handler that comes after the cancellation is called immediately, one after the end never`()
        async throws
    {
        let told = Recorder<Int>()
        let run = Task { [held] in try await held.run() }
        let controller = try await takeController()
        run.cancel()
        controller.onCancel { controller in
            told.record(1)
            controller.fail(with: CancellationError())
        }
        #expect(told.values == [1])
        await #expect(throws: CancellationError.self) { try await run.value }
        controller.onCancel { _ in told.record(2) }
        #expect(told.values == [1])
    }

    @Test func `a second call that crosses a cancellation is no misuse`() async throws {
        let run = Task { [held] in try await held.run() }
        let controller = try await takeController()
        controller.onCancel { $0.fail(with: CancellationError()) }
        run.cancel()
        controller.finish(1)
        await #expect(throws: CancellationError.self) { try await run.value }
    }

    @Test func `a controller let go after a cancellation ends the job as cancelled`() async throws {
        let run = Task { [held] in try await held.run() }
        try await begun.wait()
        run.cancel()
        kept.withLock { $0 = nil }
        await #expect(throws: CancellationError.self) { try await run.value }
    }

    @Test func `handlers and what they captured are let go at the end`() async throws {
        let gate = AdmissionGate(capacity: 1)
        let permit = Guarded<Permit?>(try await gate.acquire())
        let run = Task { [held] in try await held.run() }
        let controller = try await takeController()
        controller.onCancel { [captured = permit.withLock { $0.take() }] _ in captured?.release() }
        #expect(gate.snapshot.used == 1)
        controller.finish(1)
        #expect(try await run.value == 1)
        #expect(gate.snapshot.used == 0)
    }

    @Test func `finish, cancel and letting go may come at the same moment`() async throws {
        for round in 0..<500 {
            let task = Task {
                try await Job(of: Int.self) { controller in
                    controller.onCancel { $0.fail(with: CancellationError()) }
                    DispatchQueue.global().async { if round % 3 > 0 { controller.finish(round) } }
                }.run()
            }
            DispatchQueue.global().async { task.cancel() }
            switch await task.result {
            case .success(let output): #expect(output == round)
            case .failure(let error):
                #expect(error is CancellationError || (error as? TaskFlowError)?.code == .jobAbandoned)
            }
        }
    }
}
