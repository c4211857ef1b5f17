import Synchronization
import TaskFlow
import TaskFlowTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct JobGroupTests {
    private let never = Event()

    /// A job that says when it began and waits until it is cancelled, and says so when it has ended.
    private func endless(_ begun: Event, _ ended: Event) -> Job<Void> {
        Job { [never] in
            begun.signal()
            defer { ended.signal() }
            try await never.wait()
        }
    }

    @Test func `an empty group and an empty sequence succeed`() async throws {
        try await Job<Void>.group([]).run()
        try await Job<Void>.sequence([]).run()
        try await Job<Void>.group([], errors: .all).run()
        let nothing = try await Job<[Int]>.group([Job<Int>]()).run()
        #expect(nothing.isEmpty)
    }

    @Test func `a group runs its jobs at the same time`() async throws {
        let (first, second) = (Event(), Event())
        try await Job.group([
            Job {
                first.signal()
                try await second.wait()
            },
            Job {
                second.signal()
                try await first.wait()
            },
        ]).run()
    }

    @Test func `outputs come in the order of the jobs, however they end`() async throws {
        let last = Event()
        let outputs = try await Job.group([
            Job {
                try await last.wait()
                return 1
            },
            Job {
                last.signal()
                return 2
            },
        ]).run()
        #expect(outputs == [1, 2])
    }

    @Test(arguments: [1, 2, 5]) func `no more than the width run at a time`(width: Int) async throws {
        let running = Recorder<Int>()
        let count = Atomic(0)
        let jobs = (0..<12).map { index in
            Job {
                running.record(count.add(1, ordering: .relaxed).newValue)
                await Task.yield()
                count.subtract(1, ordering: .relaxed)
                return index
            }
        }
        let outputs = try await Job.group(jobs, width: width).run()
        #expect(outputs == Array(0..<12))
        #expect(running.values.allSatisfy { $0 <= width })
    }

    @Test func `a width of one keeps the order, and a width below one counts as one`() async throws {
        let order = Recorder<Int>()
        try await Job.group((0..<5).map { index in Job { order.record(index) } }, width: -1).run()
        #expect(order.values == [0, 1, 2, 3, 4])
    }

    @Test func `the first error cancels the others, and is the result after the last has ended`() async throws
    {
        let (begun, ended) = (Event(), Event())
        let group = Job.group([
            endless(begun, ended),
            Job {
                try await begun.wait()
                throw Failure(number: 2)
            },
        ])
        await #expect(throws: Failure(number: 2)) { try await group.run() }
        #expect(ended.hasHappened)
    }

    @Test func `an error that comes after the first does not replace it`() async throws {
        let group = Job.group([
            Job { [never] in
                do { try await never.wait() } catch { throw Failure(number: 1) }
            },
            Job { throw Failure(number: 2) },
        ])
        await #expect(throws: Failure(number: 2)) { try await group.run() }
    }

    @Test func `after the first error no job starts`() async throws {
        let started = Recorder<Int>()
        let jobs = (0..<9).map { index in
            Job {
                started.record(index)
                if index == 3 { throw Failure() }
            }
        }
        await #expect(throws: Failure.self) { try await Job.group(jobs, width: 1).run() }
        #expect(started.values == [0, 1, 2, 3])
    }

    @Test func `cancelling a group cancels what it started and starts no more`() async throws {
        let (begun, ended) = (Event(), Event())
        let group = Job.group([endless(begun, ended), Job<Void> { Issue.record("it ran") }], width: 1)
        let run = Task { try await group.run() }
        try await begun.wait()
        run.cancel()
        await #expect(throws: CancellationError.self) { try await run.value }
        #expect(ended.hasHappened)
    }

    @Test func `all errors are collected on request, and the other jobs continue`() async throws {
        let finished = Recorder<Int>()
        let jobs = (0..<5).map { index in
            Job {
                if index % 2 == 1 { throw Failure(number: index) }
                finished.record(index)
            }
        }
        do {
            try await Job.group(jobs, width: 2, errors: .all).run()
            Issue.record("it succeeded")
        } catch let error as TaskFlowError {
            #expect(error.code == .jobsFailed)
            #expect(error.failures.map(\.index) == [1, 3])
            #expect(error.failures.map { $0.error as? Failure } == [Failure(number: 1), Failure(number: 3)])
            #expect(error.jobCount == 5)
            #expect(error.description == "2 of 5 jobs failed: [1] Failure(number: 1); [3] Failure(number: 3)")
        }
        #expect(finished.values.sorted() == [0, 2, 4])
    }

    @Test func `a cancelled group that gathers errors throws CancellationError`() async throws {
        let (begun, ended) = (Event(), Event())
        let failing = Job {
            try await begun.wait()
            throw Failure()
        }
        let run = Task { try await Job.group([failing, endless(begun, ended)], errors: .all).run() }
        try await begun.wait()
        run.cancel()
        await #expect(throws: CancellationError.self) { try await run.value }
        #expect(ended.hasHappened)
    }

    @Test func `a child's own CancellationError is an error like others`() async throws {
        let group = Job.group([Job { throw CancellationError() }, Job {}], errors: .all)
        let error = await #expect(throws: TaskFlowError.self) { try await group.run() }
        #expect(error?.code == .jobsFailed && error?.failures.map(\.index) == [0])
    }

    @Test func `ten thousand jobs end one way or the other`() async throws {
        let outputs = try await Job.group((0..<10_000).map { index in Job { index } }, width: 8).run()
        #expect(outputs == Array(0..<10_000))
    }
}
