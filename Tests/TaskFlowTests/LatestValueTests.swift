import TaskFlowTesting
import Testing

@testable import TaskFlow

/// What the schedules of `LatestValueScenario` do not show.
@Suite(.timeLimit(.minutes(1))) struct LatestValueTests {
    @Test func `a reader that leaves is forgotten`() async {
        let value = LatestValue(1)
        for await number in value.makeReader() {
            #expect(number == 1 && value.readerCount == 1)
            break
        }
        #expect(value.readerCount == 0)
    }

    @Test func `a slow reader gets the newest of those that are kept, in order`() async {
        let value = LatestValue<Int>(keeping: 2)
        let reader = value.makeReader()
        for number in 1...5 { value.send(number) }
        value.finish()
        value.send(6)
        var seen: [Int] = []
        for await number in reader { seen.append(number) }
        #expect(seen == [4, 5])
    }

    @Test func `a value that all have read is not kept`() async {
        final class Picture: Sendable {}
        let value = LatestValue<Picture>(keeping: 8)
        let (quick, slow) = (value.makeReader(), value.makeReader())
        weak var first: Picture?
        do {
            let picture = Picture()
            first = picture
            value.send(picture)
        }
        value.send(Picture())
        _ = await quick.next()
        #expect(first != nil)
        _ = await slow.next()
        #expect(first == nil)
    }

    @Test func `a second wait ends the first`() async throws {
        let value = LatestValue<Int>()
        let reader = value.makeReader()
        let executor = ManualExecutor()
        let first = Task(executorPreference: executor) { await reader.next() }
        executor.runUntilIdle()
        let second = Task(executorPreference: executor) { await reader.next() }
        executor.runUntilIdle()
        value.send(7)
        executor.runUntilIdle()
        #expect(await first.value == nil)
        #expect(await second.value == 7)
    }
}
