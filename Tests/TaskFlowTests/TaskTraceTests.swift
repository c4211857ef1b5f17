import TaskFlow
import TaskFlowTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct TaskTraceTests {
    @Test func `a span is measured on the recorder's clock, also when it throws`() async throws {
        let clock = ManualClock()
        let recorder = TraceRecorder(clock: clock)
        clock.advance(by: .milliseconds(5))
        await #expect(throws: Failure.self) {
            try await TaskTrace.recording(to: recorder) {
                try await TaskTrace.span("decode", category: "cpu", arguments: [.init("index", "7")]) {
                    clock.advance(by: .milliseconds(3))
                    throw Failure()
                }
            }
        }
        let expected = TraceEvent(
            name: "decode",
            category: "cpu",
            start: .milliseconds(5),
            duration: .milliseconds(3),
            lane: 0,
            arguments: [.init("index", "7")]
        )
        #expect(recorder.events == [expected])
    }

    @Test func `nothing is made when nobody records`() async {
        func arguments() -> [TraceEvent.Argument] {
            Issue.record("arguments were made")
            return []
        }
        #expect(TaskTrace.recorder == nil)
        await TaskTrace.span("quiet", arguments: arguments()) {}
        TaskTrace.record("quiet", duration: .seconds(1), arguments: arguments())
    }

    @Test func `children and flights report to it, each item in the lowest free lane`() async throws {
        let recorder = TraceRecorder()
        try await TaskTrace.recording(to: recorder) {
            try await TaskTrace.withLane {
                await TaskTrace.withLane { await TaskTrace.span("inner") {} }
                try await withTaskScope { scope in
                    let flights = Coalescer<Int, Void>(scope: scope)
                    try await flights.value(for: 1) { _ in await TaskTrace.span("flight") {} }
                }
            }
            await TaskTrace.withLane { await TaskTrace.span("next") {} }
        }
        #expect(recorder.events.map(\.name) == ["inner", "flight", "next"])
        #expect(recorder.events.map(\.lane) == [1, 1, 1])
    }

    @Test func `items at the same time have lanes of their own`() async throws {
        let recorder = TraceRecorder()
        let (first, second) = (Event(), Event())
        try await TaskTrace.recording(to: recorder) {
            async let one: Void = TaskTrace.withLane {
                first.signal()
                try await second.wait()
                await TaskTrace.span("one") {}
            }
            try await first.wait()
            await TaskTrace.withLane {
                await TaskTrace.span("two") {}
                second.signal()
            }
            try await one
        }
        #expect(recorder.events.map(\.name) == ["two", "one"])
        #expect(recorder.events.map(\.lane) == [2, 1])
    }

    @Test func `a caller that joins a flight records a link to the lane of its starter`() async throws {
        let clock = ManualClock()
        let recorder = TraceRecorder(clock: clock)
        try await withTaskScope { scope in
            let flights = Coalescer<Int, Int>(scope: scope, name: "source")
            let (began, joined, go) = (Event(), Event(), Event())
            recorder.observe { if case .began = $0 { joined.signal() } }
            let load: @Sendable () async throws -> Int = {
                try await TaskTrace.withLane {
                    try await flights.value(for: 1) { _ in
                        await TaskTrace.span("body") {
                            began.signal()
                            try? await go.wait()
                        }
                        return 7
                    }
                }
            }
            async let first = TaskTrace.recording(to: recorder, load)
            try await began.wait()
            clock.advance(by: .milliseconds(2))
            async let second = TaskTrace.recording(to: recorder, load)
            async let elsewhere = TaskTrace.recording(to: TraceRecorder(), load)
            async let quiet = load()
            try await waitUntil { flights.waiterCount == 4 }
            try await joined.wait()
            clock.advance(by: .milliseconds(3))
            go.signal()
            #expect(try await first + second + elsewhere + quiet == 28)
        }
        let work = TraceEvent(
            name: "body",
            category: "task",
            start: .zero,
            duration: .milliseconds(5),
            lane: 1
        )
        let link = TraceEvent(
            name: "source",
            category: "join",
            start: .milliseconds(2),
            duration: .milliseconds(3),
            lane: 2,
            kind: .link(lane: 1)
        )
        #expect(Set(recorder.events) == [work, link])
        #expect(recorder.events.count == 2)
    }

    @Test func `a link to a flight of another trace names no lane, also when the wait is cancelled`()
        async throws
    {
        let recorder = TraceRecorder()
        try await withTaskScope { scope in
            let flights = Coalescer<Int, Int>(scope: scope)
            let go = Event()
            async let first = flights.value(for: 1) { _ in
                try await go.wait()
                return 1
            }
            try await waitUntil { flights.waiterCount == 1 }
            let second = Task {
                try await TaskTrace.recording(to: recorder) { try await flights.value(for: 1) { _ in 2 } }
            }
            try await waitUntil { flights.waiterCount == 2 }
            second.cancel()
            await #expect(throws: CancellationError.self) { try await second.value }
            go.signal()
            #expect(try await first == 1)
        }
        #expect(recorder.events.map(\.kind) == [.link(lane: nil)])
        #expect(recorder.events.map(\.name) == ["flight"])
    }

    @Test func `a full recorder drops and counts`() async {
        let recorder = TraceRecorder(limit: 2)
        await TaskTrace.recording(to: recorder) {
            for _ in 0..<5 { await TaskTrace.span("one") {} }
        }
        #expect(recorder.events.count == 2)
        #expect(recorder.droppedCount == 3)
    }

    @Test func `the Chrome writer escapes and keeps nanoseconds`() throws {
        let clock = ManualClock()
        let recorder = TraceRecorder(limit: 2, clock: clock)
        let second = TraceEvent(
            name: "a \"b\" \\ \n é",
            category: "x",
            start: .nanoseconds(1_002_003),
            duration: .seconds(2),
            lane: 4,
            arguments: [.init("k", "v"), .init("l", "w")]
        )
        let first = TraceEvent(name: "f", category: "x", start: .zero, duration: .zero, lane: 0)
        for event in [first, second, first] { recorder.record(event) }
        let pieces = Recorder<String>()
        var writer = ChromeTraceWriter { pieces.record($0) }
        try writer.write(recorder)
        #expect(
            pieces.values.joined() == """
                {"traceEvents":[
                {"name":"f","cat":"x","ph":"X","ts":0.000,"dur":0.000,"pid":1,"tid":0,"args":{}},
                {"name":"a \\"b\\" \\\\ \\u000a é","cat":"x","ph":"X","ts":1002.003,"dur":2000000.000,"pid":1,"tid":4,\
                "args":{"k":"v","l":"w"}}
                ],"displayTimeUnit":"ms","otherData":{"dropped":"1"}}

                """
        )
    }

    @Test func `the Chrome writer draws an arrow for a link into a lane, and none for one out of the trace`()
        throws
    {
        let recorder = TraceRecorder(clock: ManualClock())
        for lane in [1, nil, 3] {
            let event = TraceEvent(
                name: "f",
                category: "join",
                start: .microseconds(5),
                duration: .microseconds(2),
                lane: 2,
                kind: .link(lane: lane)
            )
            recorder.record(event)
        }
        let pieces = Recorder<String>()
        var writer = ChromeTraceWriter { pieces.record($0) }
        try writer.write(recorder)
        let wait = #"{"name":"f","cat":"join","ph":"X","ts":5.000,"dur":2.000,"pid":1,"tid":2,"args":{}}"#
        let title = #"{"name":"f","cat":"join","ph":"#
        #expect(
            pieces.values.joined() == """
                {"traceEvents":[
                \(wait),
                \(title)"s","id":1,"ts":5.000,"pid":1,"tid":2},
                \(title)"f","bp":"e","id":1,"ts":5.000,"pid":1,"tid":1},
                \(wait),
                \(wait),
                \(title)"s","id":2,"ts":5.000,"pid":1,"tid":2},
                \(title)"f","bp":"e","id":2,"ts":5.000,"pid":1,"tid":3}
                ],"displayTimeUnit":"ms","otherData":{"dropped":"0"}}

                """
        )
    }
}
