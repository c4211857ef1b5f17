import Dispatch
import TaskFlow
import TaskFlowTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct WithCallbackTests {
    private let kept = Guarded<JobController<Int>?>(nil)
    private let begun = Event()
    private let told = Event()

    /// A call whose callback the test holds, and which says when it is told of the cancellation.
    private func call(_ cancellation: CallbackCancellation) -> Task<Int, any Error> {
        Task { [kept, begun, told] in
            try await withCallback(of: Int.self, cancellation: cancellation) { callback in
                callback.onCancel { _ in told.signal() }
                kept.withLock { $0 = callback }
                begun.signal()
            }
        }
    }

    private func takeCallback() async throws -> JobController<Int> {
        try await begun.wait()
        return try #require(kept.withLock { $0.take() })
    }

    @Test func `it returns the callback's result, whether immediate or from another thread`() async throws {
        let now: Int = try await withCallback { $0.finish(1) }
        #expect(now == 1)
        let later = try await withCallback(of: Int.self) { callback in
            DispatchQueue.global().async { callback.finish(with: .success(2)) }
        }
        #expect(later == 2)
        await #expect(throws: Failure.self) {
            try await withCallback(of: Void.self) { $0.fail(with: Failure()) }
        }
    }

    @Test func `a callback that never comes throws`() async throws {
        let error = await #expect(throws: TaskFlowError.self) {
            try await withCallback(of: Int.self, fileID: "Module/File.swift", line: 3) { _ in }
        }
        #expect(
            error?.description
                == "the controller of the work at Module/File.swift:3 was released without finish() or fail(with:)"
        )
    }

    @Test func `a second call is reported and changes nothing`() async throws {
        let misuses = Recorder<JobMisuse>()
        let value = try await JobMisuse.$handler.withValue(.init { misuses.record($0) }) {
            try await withCallback(of: Int.self) { callback in
                callback.finish(1)
                callback.finish(2)
            }
        }
        #expect(value == 1)
        #expect(misuses.values.map(\.location.fileID) == [#fileID])
    }

    @Test func `a cancelled call waits for its callback and then throws CancellationError`()
        async throws
    {
        let task = call(.throwsAfterCallback)
        let callback = try await takeCallback()
        task.cancel()
        #expect(told.hasHappened)
        callback.finish(1)
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `a call that fails because it was cancelled throws CancellationError`() async throws {
        let task = call(.throwsAfterCallback)
        let callback = try await takeCallback()
        task.cancel()
        callback.fail(with: Failure())
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `a cancelled call throws immediately if configured so, and drops a later result`() async throws
    {
        let task = call(.throwsAtOnce)
        let callback = try await takeCallback()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(told.hasHappened)
        callback.finish(1)
    }

    @Test func `a handler set after a call has thrown immediately is still called`() async throws {
        let task = call(.throwsAtOnce)
        let callback = try await takeCallback()
        task.cancel()
        let late = Event()
        callback.onCancel { _ in late.signal() }
        #expect(late.hasHappened)
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `a cancelled call can leave the outcome to the callback`() async throws {
        let task = call(.leftToCallback)
        let callback = try await takeCallback()
        task.cancel()
        callback.finish(1)
        #expect(try await task.value == 1)
    }

    @Test(arguments: [CallbackCancellation.throwsAtOnce, .throwsAfterCallback, .leftToCallback])
    func `a task that is cancelled already starts nothing`(
        _ cancellation: CallbackCancellation
    ) async throws {
        let task = Task {
            cancelThisTask()
            return try await withCallback(of: Int.self, cancellation: cancellation) { _ in
                Issue.record("it started")
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test(arguments: [CallbackCancellation.throwsAtOnce, .throwsAfterCallback, .leftToCallback])
    func `callback and cancellation may cross, and the call ends once`(
        _ cancellation: CallbackCancellation
    ) async {
        for round in 0..<300 {
            let task = Task {
                try await withCallback(of: Int.self, cancellation: cancellation) { callback in
                    callback.onCancel { $0.fail(with: CancellationError()) }
                    DispatchQueue.global().async { callback.finish(round) }
                }
            }
            DispatchQueue.global().async { task.cancel() }
            switch await task.result {
            case .success(let value): #expect(value == round)
            case .failure(let error): #expect(error is CancellationError)
            }
        }
    }
}
