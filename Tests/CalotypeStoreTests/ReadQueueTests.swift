import CalotypeTestKit
import TaskFlow
import Testing

@testable import CalotypeStore

@Suite(.timeLimit(.minutes(1)))
struct ReadQueueTests {
    private let queue = ReadQueue()

    @Test func `a cancelled caller stops waiting immediately, and its look-up is not done`() async throws {
        let done = Recorder<Int>()
        let task = Task { [queue] in
            try await queue.run { _ in done.record(1) }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        queue.close()
        #expect(done.values == [])
    }

    @Test func `a cancelled caller does not wait for a look-up in progress`() async throws {
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

    @Test func `a closed queue returns without a reader until the next round`() async throws {
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

    // MARK: Look-ups

    @Test func `a look-up is done by a reader`() async throws {
        let round = queue.beginRound()
        async let entry = queue.lookUp { _ in .sample(1) }
        await queue.next(in: round)?(nil)
        #expect(try await entry == .sample(1))
    }

    @Test func `look-ups that are late find nothing, without the disk`() async throws {
        let clock = ManualClock()
        let round = queue.beginRound()
        let watch = Task { [queue] in await queue.endLateLookUps(clock) }
        let hung = Task { [queue] in try await queue.lookUp { _ in .sample(1) } }
        // This one is with a reader that does not come back, the other one waits behind it.
        let job = try #require(await queue.next(in: round))
        let waiting = Task { [queue] in try await queue.lookUp { _ in .sample(2) } }
        try await until { queue.count == 1 }
        for _ in 1...5 {
            try await clock.waitForSleepers(1)
            #expect(queue.count == 1)
            clock.advance(by: .seconds(1))
        }
        let entries = [try await hung.value, try await waiting.value]
        #expect(entries == [nil, nil])
        #expect(queue.count == 0)
        job(nil)
        watch.cancel()
        await watch.value
    }

    @Test func `time is kept for a look-up that begins while the watch rests`() async throws {
        let clock = ManualClock()
        let watch = Task { [queue] in await queue.endLateLookUps(clock) }
        for _ in 1...2 {
            async let entry = queue.lookUp { _ in .sample(1) }
            for _ in 1...5 {
                try await clock.waitForSleepers(1)
                clock.advance(by: .seconds(1))
            }
            #expect(try await entry == nil)
        }
        watch.cancel()
        await watch.value
    }

    @Test func `no time is kept for other work`() async throws {
        let clock = ManualClock()
        let round = queue.beginRound()
        let watch = Task { [queue] in await queue.endLateLookUps(clock) }
        async let work = queue.run { _ in 1 }
        let job = try #require(await queue.next(in: round))
        #expect(clock.sleepers == 0)
        job(nil)
        #expect(try await work == 1)
        watch.cancel()
        await watch.value
    }

    @Test func `a cancelled look-up ends, and is not done`() async throws {
        let task = Task { [queue] in try await queue.lookUp { _ in .sample(1) } }
        try await until { queue.count == 1 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(queue.count == 0)
    }
}
