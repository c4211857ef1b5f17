import Dispatch
import TaskFlow
import TaskFlowTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct JobCallbackTests {
    private static let key = DispatchSpecificKey<String>()
    private let outcomes = Recorder<Result<Int, any Error>>()

    /// A queue that knows itself.
    private static func queue(_ name: String, _ attributes: DispatchQueue.Attributes = []) -> DispatchQueue {
        let queue = DispatchQueue(label: name, attributes: attributes)
        queue.setSpecific(key: key, value: name)
        return queue
    }

    private static var currentQueue: String? { DispatchQueue.getSpecific(key: key) }

    @Test func `the callback gets the output or the error, once`() async throws {
        Job { 5 }.perform { [outcomes] in outcomes.record($0) }
        try await outcomes.wait(count: 1)
        Job<Int> { throw Failure() }.perform { [outcomes] in outcomes.record($0) }
        let values = try await outcomes.wait(count: 2)
        #expect(try values[0].get() == 5)
        #expect(throws: Failure.self) { try values[1].get() }
    }

    @Test(arguments: [false, true])
    func `jobs and callback run on the queue that the caller names`(isConcurrent: Bool) async throws {
        let places = Recorder<String?>()
        let note: @Sendable () async throws -> Void = {
            places.record(Self.currentQueue)
            await Task.yield()
            places.record(Self.currentQueue)
        }
        let controlled = Job { controller in
            places.record(Self.currentQueue)
            DispatchQueue.global().async { controller.finish() }
        }
        let job = Job.sequence([
            .group([Job(note), Job(note)]), controlled, Job(note).timeout(.seconds(60)), Job(note).retrying(),
        ])
        let done = Event()
        job.perform(on: Self.queue("named", isConcurrent ? .concurrent : [])) { _ in
            places.record(Self.currentQueue)
            done.signal()
        }
        try await done.wait()
        #expect(places.values == Array(repeating: "named", count: 10))
    }

    @Test func `the callback never comes from within perform, even on the caller's own queue`() async throws {
        let order = Recorder<String>()
        let done = Event()
        let queue = Self.queue("own")
        queue.async {
            Job {}.perform(on: queue) { _ in
                order.record("callback")
                done.signal()
            }
            order.record("perform returned")
        }
        try await done.wait()
        #expect(order.values == ["perform returned", "callback"])
    }

    @Test func `a callback may start and await the next run`() async throws {
        let done = Event()
        let queue = Self.queue("chain")
        Job {}.perform(on: queue) { _ in
            Job {}.perform(on: queue) { _ in done.signal() }
        }
        try await done.wait()
    }

    @Test func `a group calls back once, after every child has ended`() async throws {
        let order = Recorder<String>()
        let (begun, mayEnd, never) = (Event(), Event(), Event())
        let slow = Job {
            begun.signal()
            try? await never.wait()
            await Task { try? await mayEnd.wait() }.value
            order.record("child ended")
        }
        let failing = Job {
            try await begun.wait()
            Task { mayEnd.signal() }
            throw Failure()
        }
        let done = Event()
        Job.group([slow, failing]).perform { outcome in
            order.record("callback")
            #expect(throws: Failure.self) { try outcome.get() }
            done.signal()
        }
        try await done.wait()
        #expect(order.values == ["child ended", "callback"])
    }

    @Test func `a token cancels the run, twice is harmless, and the callback still comes once`()
        async throws
    {
        let begun = Event()
        let never = Event()
        let token = Job { () -> Int in
            begun.signal()
            try await never.wait()
            return 0
        }.perform { [outcomes] in outcomes.record($0) }
        try await begun.wait()
        #expect(!token.isCancelled)
        token.cancel()
        #expect(token.isCancelled)
        token.cancel()
        let values = try await outcomes.wait(count: 1)
        #expect(throws: CancellationError.self) { try values[0].get() }
        token.cancel()
        #expect(outcomes.count == 1)
    }

    @Test func `a run that is cancelled before its first step starts nothing`() async throws {
        let queue = Self.queue("held")
        queue.suspend()
        let token = Job { () -> Int in
            Issue.record("it ran")
            return 0
        }.perform(on: queue) { [outcomes] in outcomes.record($0) }
        token.cancel()
        queue.resume()
        let values = try await outcomes.wait(count: 1)
        #expect(throws: CancellationError.self) { try values[0].get() }
    }

    @Test func `the run continues after its token is released`() async throws {
        let mayEnd = Event()
        do {
            _ = Job { () -> Int in
                try await mayEnd.wait()
                return 1
            }.perform { [outcomes] in outcomes.record($0) }
        }
        mayEnd.signal()
        let values = try await outcomes.wait(count: 1)
        #expect(try values[0].get() == 1)
    }

    @Test func `a scope cancels the run and waits for its callback`() async throws {
        let begun = Event()
        let never = Event()
        let job = Job { () -> Int in
            begun.signal()
            try await never.wait()
            return 0
        }
        try await withTaskScope { scope in
            job.perform(in: scope) { [outcomes] in outcomes.record($0) }
            try await begun.wait()
        }
        #expect(outcomes.count == 1)
        #expect(throws: CancellationError.self) { try outcomes.values[0].get() }
    }

    @Test func `a scope that has ended starts nothing, and the callback says so`() async throws {
        let scope = TaskScope()
        await scope.end()
        let queue = Self.queue("ended")
        let job = Job { () -> Int in
            Issue.record("it ran")
            return 0
        }
        let token = job.perform(on: queue, in: scope) { [outcomes] in
            #expect(Self.currentQueue == "ended")
            outcomes.record($0)
        }
        token.cancel()
        let values = try await outcomes.wait(count: 1)
        #expect(throws: TaskFlowError.scopeEnded) { try values[0].get() }
    }

    @Test func `the callback is outside the task of the run`() async throws {
        let cancelled = Recorder<Bool>()
        let token = Job { cancelThisTask() }
            .perform { _ in cancelled.record(Task.isCancelled) }
        try await cancelled.wait(count: 1)
        #expect(cancelled.values == [false])
        #expect(token.isCancelled)
    }

    @Test func `every one of a thousand runs calls back exactly once, cancelled or not`()
        async throws
    {
        let calls = Recorder<Int>()
        let jobs = (0..<1000).map { index in
            Job { controller in
                controller.onCancel { $0.fail(with: CancellationError()) }
                DispatchQueue.global().async { controller.finish() }
            }.map { index }
        }
        for (index, job) in jobs.enumerated() {
            let token = job.perform { _ in calls.record(index) }
            if index % 2 == 0 { DispatchQueue.global().async { token.cancel() } }
        }
        try await calls.wait(count: 1000)
        #expect(calls.values.sorted() == Array(0..<1000))
    }
}
