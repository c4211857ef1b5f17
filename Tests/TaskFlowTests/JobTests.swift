import TaskFlow
import TaskFlowTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct JobTests {
    @Test func `a job does nothing until it is run, and each run goes from the start`() async throws {
        let starts = Recorder<Int>()
        let job = Job {
            starts.record(starts.count + 1)
            return starts.count
        }
        #expect(starts.count == 0)
        #expect(try await job.run() == 1)
        #expect(try await job.run() == 2)
    }

    @Test func `two runs of one job can be active at the same time, and one is cancelled alone`() async throws
    {
        let begun = Recorder<Int>()
        let mayEnd = Event()
        let job = Job {
            begun.record(0)
            try await mayEnd.wait()
        }
        let first = Task { try await job.run() }
        try await begun.wait(count: 1)
        let second = Task { try await job.run() }
        try await begun.wait(count: 2)
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        mayEnd.signal()
        try await second.value
    }

    @Test func `a cancelled task starts no job`() async throws {
        let task = Task {
            cancelThisTask()
            try await Job<Void> { Issue.record("it ran") }.run()
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test @MainActor func `work leaves the actor of its caller for the preferred executor`() async throws {
        let executor = ManualExecutor()
        let ran = Event()
        let job = Job { ran.signal() }
        let run = Task { @MainActor in
            try await withTaskExecutorPreference(executor) { try await job.run() }
        }
        try await executor.waitForJobs(1)
        #expect(!ran.hasHappened)
        executor.runUntilIdle()
        #expect(ran.hasHappened)
        try await run.value
    }

    @Test func `map changes the output, and its error is the job's`() async throws {
        let text = try await Job { 5 }.map { "\($0)" }.run()
        #expect(text == "5")
        await #expect(throws: Failure(number: 5)) {
            try await Job { 5 }.map { throw Failure(number: $0) }.run()
        }
    }

    @Test func `it sees the task-local values of its caller`() async throws {
        let recorder = TraceRecorder(clock: ManualClock())
        try await TaskTrace.recording(to: recorder) {
            try await Job.group([Job { await TaskTrace.span("child") {} }]).run()
        }
        #expect(recorder.events.map(\.name) == ["child"])
    }

    @Test func `retrying runs the whole job again, with the policy's pauses`() async throws {
        let clock = ManualClock()
        let attempts = Recorder<Int>()
        let job = Job.sequence([
            Job { attempts.record(attempts.count) },
            Job { if attempts.count < 3 { throw Failure() } },
        ])
        let run = Task { try await job.retrying(clock: clock, random: { $0 }).run() }
        for pause in [200, 400] {
            try await clock.waitForSleepers(1)
            clock.advance(by: .milliseconds(pause))
        }
        try await run.value
        #expect(attempts.values == [0, 1, 2])
    }

    @Test func `retrying throws the last error, and never retries a cancellation`() async throws {
        let attempts = Recorder<Int>()
        let failing = Job {
            attempts.record(0)
            throw Failure(number: attempts.count)
        }
        await #expect(throws: Failure(number: 3)) {
            try await failing.retrying(random: { _ in .zero }).run()
        }
        await #expect(throws: CancellationError.self) {
            try await Job {
                attempts.record(1)
                throw CancellationError()
            }.retrying(random: { _ in .zero }).run()
        }
        #expect(attempts.values == [0, 0, 0, 1])
    }

    @Test func `a timeout cancels the job, awaits it and throws`() async throws {
        let clock = ManualClock()
        let began = Event()
        let ended = Event()
        let never = Event()
        let job = Job {
            began.signal()
            defer { ended.signal() }
            try await never.wait()
        }
        let run = Task { try await job.timeout(.seconds(3), clock: clock).run() }
        // The time may be up before the job's task has begun; then it never does.
        try await began.wait()
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(3))
        await #expect(throws: TaskFlowError.deadlineExceeded) { try await run.value }
        #expect(ended.hasHappened)
    }

    @Test func `a timeout within retrying is for each attempt, and around it for all`() async throws {
        let clock = ManualClock()
        let attempts = Recorder<Int>()
        let never = Event()
        let job = Job {
            attempts.record(attempts.count)
            try await never.wait()
        }
        let policy = RetryPolicy(maximumAttempts: 2)
        let each = Task {
            try await job.timeout(.seconds(1), clock: clock)
                .retrying(policy, clock: clock, random: { _ in .zero })
                .run()
        }
        for attempt in 1...2 {
            try await attempts.wait(count: attempt)
            try await clock.waitForSleepers(1)
            clock.advance(by: .seconds(1))
        }
        await #expect(throws: TaskFlowError.deadlineExceeded) { try await each.value }
        #expect(attempts.count == 2)

        let all = Task {
            try await job.retrying(policy, clock: clock).timeout(.seconds(1), clock: clock).run()
        }
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        await #expect(throws: TaskFlowError.deadlineExceeded) { try await all.value }
    }
}
