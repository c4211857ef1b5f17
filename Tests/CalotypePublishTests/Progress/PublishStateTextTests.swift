import CalotypeCore
import Testing

@testable import CalotypePublish

@Suite struct PublishStateTextTests {
    private static let now = ContinuousClock.now

    private static func item(
        _ name: String,
        _ stage: PublishState.Item.Stage,
        _ acknowledged: Int = 0,
        of size: Int = 1000
    ) -> PublishState.Item {
        var item = PublishState.Item(name: name, stage: stage)
        (item.size, item.acknowledged, item.attempt) = (ByteCount(size), ByteCount(acknowledged), 1)
        return item
    }

    private static func state(_ items: [PublishState.Item]) -> PublishState {
        var state = PublishState()
        (state.stage, state.items) = (.uploading, items)
        return state
    }

    @Test func `a medium shows its progress, and what delays it`() {
        #expect(Self.item("a", .waiting).phrases(at: Self.now) == ["waiting, 1.0 kB"])
        #expect(Self.item("a", .uploading, 400).phrases(at: Self.now) == ["400 B of 1.0 kB"])
        var sending = Self.item("a", .uploading, 400)
        (sending.sent, sending.attempt) = (ByteCount(700), 2)
        #expect(sending.phrases(at: Self.now) == ["400 B of 1.0 kB", "700 B sent", "attempt 2"])
        #expect(sending.fraction == 0.4 && Self.state([sending]).fractionSent == 0.7)
        #expect(Self.item("a", .ready, 1000).phrases(at: Self.now) == ["ready, 1.0 kB"])
        var failing = Self.item("a", .uploading, 400)
        (failing.problem, failing.waitsUntil) = ("the connection was cut", Self.now + .seconds(2.1))
        #expect(failing.phrases(at: Self.now) == ["retrying in 3 s, the connection was cut"])
        (failing.attempt, failing.waitsUntil) = (2, nil)
        #expect(failing.phrases(at: Self.now) == ["attempt 2, the connection was cut"])
        failing.problem = "cannot send a: 422"
        #expect(failing.phrases(at: Self.now) == ["attempt 2, cannot send: 422"])
        (failing.problem, failing.stage) = ("the connection was cut", .failed)
        #expect(failing.phrases(at: Self.now) == ["failed: the connection was cut"])
    }

    @Test func `the total shows what is ready, and how long the server asks to wait`() {
        var state = Self.state([Self.item("a", .ready, 1000), Self.item("b", .uploading, 500)])
        #expect(state.phrases(at: Self.now) == ["1 of 2 ready", "1.5 kB of 2.0 kB"])
        state.rateLimitedUntil = Self.now + .seconds(300)
        #expect(state.phrases(at: Self.now).first == "rate limited: retrying in 5 min")
        #expect(state.phrases(at: Self.now + .seconds(301)).first == "1 of 2 ready")
        (state.stage, state.problem, state.waitsUntil) = (.posting, "no answer", Self.now + .seconds(9))
        #expect(state.phrases(at: Self.now + .seconds(301)).first == "retrying in 1 s: no answer")
        #expect(state.title == "posting" && state.mayBeUp && state.ready == 1)
    }

    @Test func `losses and failures are each reported once`() {
        let before = Self.state([Self.item("a", .uploading, 800), Self.item("b", .uploading)])
        var after = Self.state([Self.item("a", .uploading, 300), Self.item("b", .uploading)])
        after.items[0].rewinds = 1
        (after.items[1].problem, after.items[1].waitsUntil) = ("reset", Self.now + .seconds(1))
        #expect(
            after.losses(since: before) == ["a: the server lost data; continuing from 300 B"]
        )
        #expect(after.problems(since: before, at: Self.now) == ["b: reset; retrying in 1 s"])
        #expect(after.losses(since: after) == [] && after.problems(since: after, at: Self.now) == [])
    }

    @Test func `programs read the same as JSON`() {
        var state = Self.state([Self.item("a.jpg", .uploading, 250)])
        state.rateLimitedUntil = Self.now + .milliseconds(1250)
        (state.items[0].sent, state.items[0].problem) = (ByteCount(300), "a \"problem\"")
        #expect(
            state.json(at: Self.now)
                == #"{"acknowledged":250,"fraction":0.25,"items":[{"acknowledged":250,"attempt":1,"name":"a.jpg","#
                + #""problem":"a \"problem\"","rewinds":0,"sent":300,"size":1000,"stage":"uploading"}],"pause":1.3,"#
                + #""rewinds":0,"stage":"uploading","total":1000}"#
        )
    }
}
