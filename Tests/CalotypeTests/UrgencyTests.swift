import CalotypeCore
import CalotypeHTTP
import CalotypeTestKit
import TaskFlow
import Testing

@testable import Calotype

/// Priorities and deadlines, on their way down to the gates.
@Suite(.timeLimit(.minutes(1)))
struct UrgencyTests {
    private static func urgent(_ request: ImageRequest, _ priority: WorkPriority) -> ImageRequest {
        var request = request
        request.priority = priority
        return request
    }

    @Test func `a request is as urgent as the task that makes it, unless it says so itself`() async {
        #expect(ImageRequest("http://a.test/").priority == .normal)
        let (inherited, own) = await withTaskGroup(of: (WorkPriority, WorkPriority).self) { group in
            group.addTask(priority: .high) {
                (
                    ImageRequest("http://a.test/").priority,
                    ImageRequest("http://a.test/", priority: .low).priority
                )
            }
            return await group.reduce((.normal, .normal)) { $1 }
        }
        #expect(inherited == .high)
        #expect(own == .low)
        for priority in [WorkPriority.veryLow, .low, .normal, .high] {
            #expect(WorkPriority(priority.taskPriority) == priority)
        }
    }

    @Test func `a flight is as urgent as its most urgent caller, up and down`() async throws {
        try await PipelineFixture.open(holding: [.begin]) { fixture in
            let low = fixture.ask(Self.urgent(fixture.request(), .low))
            let decode = try #require(fixture.codec.priorities.values.first)
            #expect(decode.current == .low)
            // The same picture, then another size of the same source.
            for request in [fixture.request(), fixture.request("photo.jpg", 16)] {
                let high = fixture.ask(Self.urgent(request, .veryHigh))
                #expect(decode.current == .veryHigh)
                fixture.cancel(high)
                #expect(decode.current == .low)
                #expect(await code(of: high) == "cancelled")
            }
            fixture.signal(fixture.codec.mayBegin)
            #expect(await code(of: low) == nil)
        }
    }

    @Test func `a change of a task's priority reaches the decode`() async throws {
        try await PipelineFixture.open(holding: [.begin]) { fixture in
            let task = fixture.pipeline.task(for: Self.urgent(fixture.request(), .veryLow))
            fixture.settle()
            let decode = try #require(fixture.codec.priorities.values.first)
            for priority in WorkPriority.allCases {
                task.priority = priority
                #expect(decode.current == priority)
            }
            fixture.signal(fixture.codec.mayBegin)
            _ = try await task.value
        }
    }

    /// Loads through one connection; who was served in which order.
    private func order(
        _ fixture: PipelineFixture,
        _ loads: [ImageRequest],
        then change: () -> Void
    ) async throws -> [String] {
        let gate = try fixture.hold("occupant.jpg")
        let occupant = fixture.ask(fixture.request("occupant.jpg"))
        let tasks = loads.map { fixture.ask($0) }
        change()
        fixture.signal(gate)
        #expect(await code(of: occupant) == nil)
        for task in tasks { _ = await task.result }
        return fixture.origin.requests.dropFirst().map { String($0.url.text.suffix(5)) }
    }

    @Test func `waiters for a connection are served by priority, then by age`() async throws {
        try await PipelineFixture.open {
            $0.connections = 1
        } _: { fixture in
            let loads = [
                ("1.jpg", WorkPriority.low), ("2.jpg", .normal), ("3.jpg", .high), ("4.jpg", .normal),
            ]
            .map { Self.urgent(fixture.request($0.0), $0.1) }
            let served = try await order(fixture, loads) {}
            #expect(served == ["3.jpg", "2.jpg", "4.jpg", "1.jpg"])
        }
    }

    @Test func `the snapshot shows the waits for a connection, in total and by host`() async throws {
        try await PipelineFixture.open {
            $0.connections = 4
            $0.connectionsPerHost = 2
        } _: { fixture in
            let gates = try (0..<7).map { try fixture.hold("\($0).jpg") }
            let loads = (0..<7).map { fixture.ask(fixture.request("\($0).jpg")) }
            let origin = try WebURL(fixture.url("0.jpg")).origin
            #expect(fixture.pipeline.snapshot.connections == 7)
            #expect(fixture.pipeline.snapshot.waitingForConnections == 5)
            #expect(fixture.pipeline.snapshot.waitingPerHost == [origin: 5])
            for gate in gates { fixture.signal(gate) }
            for load in loads { #expect(await code(of: load) == nil) }
        }
    }

    @Test func `an urgent caller that joins raises the priority of a wait for a connection`() async throws {
        try await PipelineFixture.open {
            $0.connections = 1
        } _: { fixture in
            let loads = ["1.jpg", "2.jpg", "3.jpg"].map { Self.urgent(fixture.request($0), .low) }
            var late: [Task<Rendition, any Error>] = []
            let served = try await order(fixture, loads) {
                late = [fixture.ask(Self.urgent(fixture.request("2.jpg", 16), .high))]
                let gone = fixture.ask(Self.urgent(fixture.request("3.jpg"), .veryHigh))
                fixture.cancel(gone)
            }
            for task in late { #expect(await code(of: task) == nil) }
            #expect(served == ["2.jpg", "1.jpg", "3.jpg"])
        }
    }

    @Test func `of equal priority, the one whose deadline comes first is served first`() async throws {
        try await PipelineFixture.open {
            $0.connections = 1
        } _: { fixture in
            let now = ContinuousClock.now
            var loads = ["1.jpg", "2.jpg", "3.jpg"].map { fixture.request($0) }
            loads[1].deadline = now + .seconds(100)
            loads[2].deadline = now + .seconds(50)
            let served = try await order(fixture, loads) {}
            #expect(served == ["3.jpg", "2.jpg", "1.jpg"])
        }
    }

    @Test func `a flood of low priority leaves connections to what is urgent`() async throws {
        try await PipelineFixture.open {
            $0.connections = 8
            $0.connectionsPerHost = 4
        } _: { fixture in
            fixture.origin.answer { $0.url.text.contains("flood") ? .never : nil }
            let flood = (0..<20).map { fixture.ask(Self.urgent(fixture.request("flood\($0).jpg"), .veryLow)) }
            #expect(fixture.origin.statistics.open == 3)
            #expect(await code(of: fixture.ask(fixture.request())) == nil)
            for load in flood { fixture.cancel(load) }
        }
    }

    @Test func `a deadline ends only its own wait`() async throws {
        try await PipelineFixture.open { fixture in
            let gate = try fixture.hold()
            var hurried = fixture.request()
            hurried.deadline = .now + .seconds(5)
            let loads = [fixture.ask(hurried), fixture.ask(fixture.request())]
            fixture.advance(by: .seconds(5))
            #expect(await code(of: loads[0]) == "timeout_total")
            #expect(fixture.origin.statistics.open == 1)
            fixture.signal(gate)
            #expect(await code(of: loads[1]) == nil)
            #expect(fixture.kinds(of: 1).contains(.failed(.timeoutTotal)))
            #expect(fixture.origin.statistics.requests == 1)
        }
    }

    @Test func `a deadline that only its own load has ends the download too`() async throws {
        try await PipelineFixture.open { fixture in
            _ = try fixture.hold()
            var request = fixture.request()
            request.deadline = .now + .seconds(5)
            let load = fixture.ask(request)
            fixture.advance(by: .seconds(5))
            #expect(await code(of: load) == "timeout_total")
            #expect(fixture.origin.statistics.cancelled == 1)
            #expect(fixture.clock.sleepers == 0)
        }
    }

    @Test func `a deadline that has passed lets nothing start`() async throws {
        try await PipelineFixture.open { fixture in
            var request = fixture.request()
            request.deadline = .now - .milliseconds(1)
            #expect(await code(of: fixture.ask(request)) == "timeout_total")
            let late = request
            #expect(await code(of: fixture.start { try await $0.data(for: late) }) == "timeout_total")
            #expect(fixture.origin.statistics.requests == 0)
        }
    }

    @Test func `a deadline counts the time in the request hook`() async throws {
        let gate = Event()
        try await PipelineFixture.open {
            $0.prepare = { request in
                try await gate.wait()
                return request
            }
        } _: { fixture in
            var request = fixture.request()
            request.deadline = .now + .seconds(5)
            let load = fixture.ask(request)
            fixture.advance(by: .seconds(5))
            fixture.signal(gate)
            #expect(await code(of: load) == "timeout_total")
            #expect(fixture.origin.statistics.requests == 0)
        }
    }

    @Test func `a priority that the request hook sets holds`() async throws {
        try await PipelineFixture.open(holding: [.begin]) {
            $0.prepare = { request in Self.urgent(request, .veryHigh) }
        } _: { fixture in
            let request = fixture.request()
            let loads = [fixture.ask(request), fixture.ask(fixture.request("other.jpg"))]
            let bitmap = fixture.start { try await $0.bitmap(for: request) }
            #expect(fixture.codec.priorities.values.map(\.current) == [.veryHigh, .veryHigh])
            fixture.signal(fixture.codec.mayBegin)
            for load in loads { #expect(await code(of: load) == nil) }
            #expect(await code(of: bitmap) == nil)
        }
    }

    @Test func `a deadline that the request hook sets holds`() async throws {
        try await PipelineFixture.open {
            $0.prepare = { request in
                var request = request
                request.deadline = .now + .seconds(5)
                return request
            }
        } _: { fixture in
            _ = try fixture.hold()
            let load = fixture.ask(fixture.request())
            fixture.advance(by: .seconds(5))
            #expect(await code(of: load) == "timeout_total")
        }
    }
}
