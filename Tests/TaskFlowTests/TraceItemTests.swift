import TaskFlow
import TaskFlowTesting
import Testing

@Suite(.timeLimit(.minutes(1)))
struct TraceItemTests {
    @Test func `an item's number accompanies its spans, its flights and their waiters`()
        async throws
    {
        let recorder = TraceRecorder(clock: ManualClock())
        try await withTaskScope { scope in
            let flights = Coalescer<Int, Int>(scope: scope, name: "source")
            let go = Event()
            let load: @Sendable () async throws -> Int = {
                try await flights.value(for: 1) { _ in
                    await TaskTrace.span("body") { try? await go.wait() }
                    return 7
                }
            }
            async let first = TaskTrace.withItem(4, recordingTo: recorder) {
                try await TaskTrace.withLane(load)
            }
            try await waitUntil { flights.waiterCount == 1 }
            async let second = TaskTrace.withItem(5, recordingTo: recorder, load)
            try await waitUntil { flights.waiterCount == 2 }
            go.signal()
            let sum = try await first + second
            #expect(sum == 14)
        }
        let body = try #require(recorder.events.first { $0.name == "body" })
        #expect(body.item == 4)
        #expect(body.lane == 1)
        let wait = try #require(recorder.events.first { $0.name == "source" })
        #expect(wait.item == 5)
        #expect(wait.awaitedItem == 4)
    }

    @Test func `a recorder that the task has already takes the spans of the item`() async {
        let (own, other) = (TraceRecorder(), TraceRecorder())
        await TaskTrace.recording(to: own) {
            await TaskTrace.withItem(1, recordingTo: other) { await TaskTrace.span("work") {} }
        }
        #expect(own.events.map(\.item) == [1])
        #expect(other.events.isEmpty)
    }

    @Test
    func `an observer sees waits when they begin and everything else when it ends, and nothing is stored`()
        async throws
    {
        let recorder = TraceRecorder(limit: 0, clock: ManualClock())
        let told = Recorder<String>()
        recorder.observe { notice in
            switch notice {
            case .began(let event): told.record("began \(event.name) \(event.item ?? 0)")
            case .ended(let event): told.record("ended \(event.name) \(event.item ?? 0)")
            }
        }
        try await withTaskScope { scope in
            let flights = Coalescer<Int, Int>(scope: scope, name: "source")
            let go = Event()
            let load: @Sendable () async throws -> Int = {
                try await flights.value(for: 1) { _ in
                    try await go.wait()
                    return 7
                }
            }
            async let first = TaskTrace.withItem(4, recordingTo: recorder, load)
            try await waitUntil { flights.waiterCount == 1 }
            async let second = TaskTrace.withItem(5, recordingTo: recorder, load)
            try await waitUntil { told.values == ["began source 5"] }
            go.signal()
            _ = try await first + second
        }
        #expect(told.values == ["began source 5", "ended source 5"])
        #expect(recorder.events.isEmpty)
        recorder.observe(nil)
        recorder.record(TraceEvent(name: "a", category: "x", start: .zero, duration: .zero, lane: 0))
        #expect(told.values.count == 2)
    }
}
