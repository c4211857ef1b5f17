import TaskFlow
import TaskFlowTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct ConcurrentResultsTests {
    /// Counts what starts and runs, and holds it until the test lets it end.
    private final class Work: Sendable {
        struct Counts: Sendable {
            var running = 0
            var most = 0
            var cancelled = 0
        }

        let counts = Guarded(Counts())
        let started = Recorder<Int>()
        let gates = (0..<64).map { _ in Event() }

        var running: Int { counts.withLock { $0.running } }

        func run(_ input: Int) async throws -> Int {
            counts.withLock { counts in
                counts.running += 1
                counts.most = max(counts.most, counts.running)
            }
            defer { counts.withLock { $0.running -= 1 } }
            started.record(input)
            do { try await gates[input].wait() } catch {
                counts.withLock { $0.cancelled += 1 }
                throw error
            }
            return input * 10
        }
    }

    @Test func `gives each input once, with its index, and never runs more than the limit`() async {
        let work = Work()
        for gate in work.gates { gate.signal() }
        var seen: [Int: Int] = [:]
        await withConcurrentResults(of: 0..<64, limit: 3, operation: work.run) { results in
            for await result in results {
                #expect(result.input == result.index)
                seen[result.index] = try? result.result.get()
            }
        }
        #expect(seen == Dictionary(uniqueKeysWithValues: (0..<64).map { ($0, $0 * 10) }))
        #expect(work.counts.withLock { $0.most } <= 3)
        #expect(work.running == 0)
    }

    @Test func `results come as they finish`() async {
        let work = Work()
        await withConcurrentResults(of: 0..<3, limit: 3, operation: work.run) { results in
            var iterator = results.makeAsyncIterator()
            work.gates[2].signal()
            #expect(await iterator.next()?.index == 2)
            work.gates[0].signal()
            #expect(await iterator.next()?.index == 0)
            work.gates[1].signal()
            #expect(await iterator.next()?.index == 1)
            #expect(await iterator.next() == nil)
        }
    }

    @Test func `in input order a slow head holds back a bounded number of results`() async throws {
        let work = Work()
        for gate in work.gates.dropFirst() { gate.signal() }
        try await withConcurrentResults(of: 0..<64, limit: 4, order: .input, operation: work.run) { results in
            let reader = Task { @concurrent in
                var indices: [Int] = []
                for await result in results { indices.append(result.index) }
                return indices
            }
            try await waitUntil { work.started.count == 8 && work.running == 1 }
            for _ in 0..<100 { await Task.yield() }
            #expect(work.started.count == 8)
            work.gates[0].signal()
            #expect(await reader.value == Array(0..<64))
        }
    }

    @Test func `nothing starts before the first next, and a slow reader stops new ones`() async throws {
        let work = Work()
        for gate in work.gates { gate.signal() }
        try await withConcurrentResults(of: 0..<64, limit: 4, operation: work.run) { results in
            var iterator = results.makeAsyncIterator()
            for _ in 0..<100 { await Task.yield() }
            #expect(work.started.count == 0)
            _ = await iterator.next()
            try await waitUntil { work.started.count == 9 && work.running == 0 }
            for _ in 0..<100 { await Task.yield() }
            #expect(work.started.count == 9)
            _ = await iterator.next()
            try await work.started.wait(count: 10)
        }
    }

    @Test func `a slow reader stops the input from being read, and an endless input is fine`() async throws {
        let read = Recorder<Int>()
        let naturals = CountingInput(read: read)
        await withConcurrentResults(of: naturals, limit: 2, operation: { $0 }) { results in
            var count = 0
            for await result in results {
                count += 1
                #expect(read.count <= count + 4)
                if result.index == 40 { break }
            }
        }
        #expect(read.count < 60)
    }

    @Test func `failures are values beside the others`() async {
        var failures = 0
        var successes = 0
        await withConcurrentResults(of: 0..<10, limit: 3) { number -> Int in
            if number.isMultiple(of: 2) { throw Failure(number: number) }
            return number
        } body: { results in
            for await result in results {
                switch result.result {
                case .success(let output): successes += output
                case .failure(let error):
                    #expect(error as? Failure == Failure(number: result.index))
                    failures += 1
                }
            }
        }
        #expect(failures == 5)
        #expect(successes == 25)
    }

    @Test(arguments: [ResultOrder.completion, .input])
    func `fail-fast throws the first failure and ends the others`(order: ResultOrder) async throws {
        let work = Work()
        await #expect(throws: Failure.self) {
            try await withConcurrentResults(of: 0..<64, limit: 4, order: order) { input -> Int in
                if input == 3 {
                    try await work.started.wait(count: 3)
                    throw Failure()
                }
                return try await work.run(input)
            } body: { results in
                for try await _ in results.failFast { Issue.record("nothing can have finished") }
            }
        }
        #expect(work.started.count == 3)
        #expect(work.counts.withLock { $0.cancelled } == 3)
        #expect(work.running == 0)
    }

    enum Exit: CaseIterable {
        case leaving, throwing, returning
    }

    @Test(arguments: Exit.allCases)
    func `however the scope is left, its children are cancelled and awaited`(exit: Exit) async throws {
        let work = Work()
        work.gates[1].signal()
        do {
            try await withConcurrentResults(of: 0..<64, limit: 4, operation: work.run) { results in
                for await result in results {
                    #expect(result.index == 1)
                    switch exit {
                    case .leaving: break
                    case .throwing: throw Failure()
                    case .returning: return
                    }
                    break
                }
            }
            #expect(exit != .throwing)
        } catch {
            #expect(error is Failure)
        }
        #expect(work.running == 0)
        #expect(work.counts.withLock { $0.cancelled } == work.started.count - 1)
        #expect(work.started.count <= 5)
    }

    @Test func `after a cancel each started input gives its result, no more start`() async throws {
        let work = Work()
        let task = Task {
            var cancelled = 0
            await withConcurrentResults(of: 0..<64, limit: 4, operation: work.run) { results in
                for await result in results {
                    if case .failure(is CancellationError) = result.result { cancelled += 1 }
                }
            }
            return cancelled
        }
        try await work.started.wait(count: 4)
        task.cancel()
        #expect(await task.value == 4)
        #expect(work.started.count == 4)
        #expect(work.running == 0)
    }

    @Test func `a cancelled reader of a fail-fast iteration gets CancellationError`() async throws {
        let work = Work()
        let task = Task {
            try await withConcurrentResults(of: 0..<64, limit: 4, operation: work.run) { results in
                for try await _ in results.failFast {}
            }
        }
        try await work.started.wait(count: 4)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(work.running == 0)
    }

    @Test func `a task that is cancelled before reads no input and starts nothing`() async throws {
        let read = Recorder<Int>()
        let never = Event()
        let task = Task {
            try? await never.wait()
            let inputs = CountingInput(read: read)
            await withConcurrentResults(of: inputs, limit: 4, operation: { $0 }) { results in
                for await _ in results { Issue.record("something ran") }
            }
        }
        task.cancel()
        await task.value
        #expect(read.count == 0)
    }

    @Test func `an error of the input ends the iteration after what was started`() async throws {
        let (inputs, continuation) = AsyncThrowingStream.makeStream(of: Int.self)
        for number in 0..<3 { continuation.yield(number) }
        continuation.finish(throwing: Failure())
        let seen = Recorder<Int>()
        await #expect(throws: Failure.self) {
            try await withConcurrentResults(of: inputs, limit: 8, operation: { $0 }) { results in
                for try await result in results { seen.record(result.index) }
            }
        }
        #expect(seen.values.sorted() == [0, 1, 2])
    }

    @Test func `an input that waits does not hold back what is done, and a cancel ends it`() async throws {
        let (inputs, continuation) = AsyncStream.makeStream(of: Int.self)
        let seen = Recorder<Int>()
        let task = Task {
            await withConcurrentResults(of: inputs, limit: 2, operation: { $0 }) { results in
                for await result in results { seen.record(result.input) }
            }
        }
        continuation.yield(5)
        #expect(try await seen.wait(count: 1) == [5])
        continuation.yield(6)
        #expect(try await seen.wait(count: 2) == [5, 6])
        task.cancel()
        await task.value
    }

    @Test func `the plain form cancels immediately when its loop is left, and the scope awaits`() async throws
    {
        let work = Work()
        work.gates[0].signal()
        try await withTaskScope { scope in
            for await _ in (0..<64).concurrentResults(limit: 4, in: scope, operation: work.run) { break }
            try await waitUntil { scope.activeCount == 0 }
            #expect(work.running == 0)
            #expect(work.started.count <= 5)
        }
    }

    @Test func `in a scope that has ended it starts nothing`() async throws {
        let scope = TaskScope()
        await scope.end()
        let results = (0..<4).concurrentResults(limit: 2, in: scope) { _ in Issue.record("something ran") }
        for await _ in results { Issue.record("something ran") }
        await #expect(throws: CancellationError.self) {
            for try await _ in results.failFast {}
        }
    }

    @Test func `children have the requested name and executor`() async throws {
        try await withThreadExecutor(name: "flow", threads: 1) { executor in
            let names = Recorder<String>()
            await withConcurrentResults(of: 0..<3, limit: 2, name: "item", executor: executor) { _ in
                names.record((Task.name ?? "") + threadName())
            } body: { results in
                for await _ in results {}
            }
            #expect(Set(names.values) == ["item 0flow 0", "item 1flow 0", "item 2flow 0"])
        }
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `however and whenever it is left, nothing runs on and no result comes twice`(seed: UInt64) async {
        var random = ScheduleRandom(seed: seed)
        let limit = Int.random(in: 1...6, using: &random)
        let order: ResultOrder = Bool.random(using: &random) ? .completion : .input
        let readCount = Int.random(in: 0...40, using: &random)
        let running = Guarded(0)
        let task = Task {
            var seen: [Int] = []
            await withConcurrentResults(of: 0..<40, limit: limit, order: order) { input in
                running.withLock { $0 += 1 }
                defer { running.withLock { $0 -= 1 } }
                for _ in 0..<(input * 7 % 5) { await Task.yield() }
                try Task.checkCancellation()
            } body: { results in
                for await result in results {
                    seen.append(result.index)
                    if seen.count == readCount { break }
                }
            }
            return seen
        }
        for _ in 0..<Int.random(in: 0...200, using: &random) { await Task.yield() }
        if Bool.random(using: &random) { task.cancel() }
        let seen = await task.value
        #expect(running.withLock { $0 } == 0)
        #expect(Set(seen).count == seen.count)
        if order == .input { #expect(seen == Array(0..<seen.count)) }
    }

    @Test func `step by step on a manual executor, results and starts alternate in order`() async {
        let executor = ManualExecutor()
        let log = Recorder<String>()
        let task = Task(executorPreference: executor) {
            await withConcurrentResults(of: 0..<4, limit: 2, order: .input, executor: executor) { input in
                log.record("start \(input)")
            } body: { results in
                for await result in results { log.record("read \(result.index)") }
            }
        }
        executor.runUntilIdle()
        await task.value
        #expect(
            log.values == [
                "start 0", "start 1", "read 0", "read 1", "start 2", "start 3", "read 2", "read 3",
            ]
        )
    }
}

/// The natural numbers, without end, telling how far they were read.
private struct CountingInput: AsyncSequence, Sendable {
    let read: Recorder<Int>

    struct Iterator: AsyncIteratorProtocol {
        let read: Recorder<Int>
        var next = 0

        mutating func next() async -> Int? {
            await next(isolation: nil)
        }

        mutating func next(isolation actor: isolated (any Actor)?) async -> Int? {
            defer { next += 1 }
            read.record(next)
            return next
        }
    }

    func makeAsyncIterator() -> Iterator {
        Iterator(read: read)
    }
}
