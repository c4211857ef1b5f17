import CalotypeTestKit
import TaskFlow
import Testing

@testable import CalotypeStore

@Suite(.timeLimit(.minutes(1)))
struct ReadQueueTests {
    private let queue = ReadQueue()

    @Test func `a cancelled caller stops waiting at once, and its look-up is not done`() async throws {
        let done = Recorder<Int>()
        let task = Task { [queue] in
            try await queue.run { _ in done.record(1) }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        queue.close()
        #expect(done.values == [])
    }

    @Test func `a cancelled caller does not wait for a look-up that goes on`() async throws {
        let (hasBegun, mayGo) = (Event(), Event())
        let round = queue.beginRound()
        async let job = queue.next(in: round)
        let task = Task { [queue] in
            try await queue.run { _ in hasBegun.signal() }
        }
        // The look-up was taken, and stands still.
        let taken = try #require(await job)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        mayGo.signal()
        taken(nil)
        #expect(hasBegun.hasHappened)
    }

    @Test func `look-ups are done in the order in which they came`() async throws {
        let round = queue.beginRound()
        let order = Recorder<Int>()
        try await withThrowingTaskGroup { group in
            for number in 0..<5 {
                group.addTask { try await queue.run { _ in order.record(number) } }
                // Each has come when the next one starts.
                try await until { queue.count == number + 1 }
            }
            for _ in 0..<5 {
                let job = await queue.next(in: round)
                job?(nil)
            }
            try await group.waitForAll()
        }
        #expect(order.values == [0, 1, 2, 3, 4])
    }

    @Test func `readers of a round that is over leave, and look-ups wait for the next round`() async throws {
        let first = queue.beginRound()
        async let leaving = queue.next(in: first)
        queue.endRound()
        let none = await leaving
        #expect(none == nil)
        async let answer = queue.run { _ in 7 }
        let late = await queue.next(in: first)
        #expect(late == nil)
        let second = queue.beginRound()
        let job = await queue.next(in: second)
        job?(nil)
        let value = try await answer
        #expect(value == 7)
    }

    @Test func `a closed queue answers without a reader until the next round`() async throws {
        async let waiting = queue.run { $0 == nil }
        try await until { queue.count == 1 }
        queue.close()
        let wasWaiting = try await waiting
        let isNew = try await queue.run { $0 == nil }
        #expect(wasWaiting && isNew)
        let round = queue.beginRound()
        async let next = queue.run { _ in 1 }
        let job = await queue.next(in: round)
        job?(nil)
        let value = try await next
        #expect(value == 1)
    }

    // MARK: Promises

    /// Promises what a reader's look-up would find, or `.some(absence)` without one.
    private func promise(
        _ entry: StoredEntry?,
        _ answers: Recorder<StoredEntry?>,
        withoutReader absence: StoredEntry?? = nil
    ) -> Bool {
        queue.promise({ reader in reader == nil ? absence ?? entry : entry }, { answers.record($0) })
    }

    @Test func `a promise is kept by a reader`() async throws {
        let round = queue.beginRound()
        let answers = Recorder<StoredEntry?>()
        #expect(promise(.sample(1), answers))
        let job = await queue.next(in: round)
        #expect(answers.values.isEmpty)
        job?(nil)
        #expect(answers.values == [.sample(1)])
    }

    @Test func `a reader that waits is given what is promised`() async throws {
        let round = queue.beginRound()
        let answers = Recorder<StoredEntry?>()
        let reader = Task { [queue] in await queue.next(in: round)?(nil) }
        // It waits, or takes what is there already.
        #expect(promise(.sample(1), answers))
        await reader.value
        #expect(answers.values == [.sample(1)])
    }

    @Test func `what is promised and late is answered without the disk, once`() async throws {
        let clock = ManualClock()
        let round = queue.beginRound()
        let (hung, waiting) = (Recorder<StoredEntry?>(), Recorder<StoredEntry?>())
        let watch = Task { [queue] in await queue.watchPromises(clock) }
        #expect(promise(.sample(1), hung))
        // This one is with a reader that does not come back, the other one waits behind it.
        let job = try #require(await queue.next(in: round))
        #expect(promise(.sample(2), waiting))
        for tick in 1...5 {
            try await clock.waitForSleepers(1)
            #expect(hung.values.isEmpty && waiting.values.isEmpty, "at tick \(tick)")
            clock.advance(by: .seconds(1))
        }
        let answers = [try await hung.wait(count: 1), try await waiting.wait(count: 1)]
        #expect(answers == [[nil], [nil]])
        #expect(queue.count == 0)
        job(nil)
        #expect(hung.values == [nil])
        watch.cancel()
        await watch.value
    }

    @Test func `what is promised while the watch rests is watched too`() async throws {
        let clock = ManualClock()
        let watch = Task { [queue] in await queue.watchPromises(clock) }
        let answers = Recorder<StoredEntry?>()
        for count in 1...2 {
            #expect(promise(nil, answers))
            for _ in 1...5 {
                try await clock.waitForSleepers(1)
                clock.advance(by: .seconds(1))
            }
            try await answers.wait(count: count)
        }
        watch.cancel()
        await watch.value
    }

    @Test func `a closed queue keeps its promises with nothing`() {
        let answers = Recorder<StoredEntry?>()
        #expect(promise(.sample(1), answers, withoutReader: .some(nil)))
        queue.close()
        #expect(promise(.sample(1), answers, withoutReader: .some(nil)))
        #expect(answers.values == [nil, nil])
    }

    @Test func `no more is promised than a hanging disk may hold up`() {
        let answers = Recorder<StoredEntry?>()
        for _ in 0..<PromisedAnswers.limit { #expect(promise(nil, answers)) }
        #expect(!promise(nil, answers))
        queue.close()
        #expect(answers.values.count == PromisedAnswers.limit)
        _ = queue.beginRound()
        #expect(promise(nil, answers))
    }
}
