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

    @Test func `a flight is as urgent as its most urgent caller, up and down (14, 15)`() async throws {
        try await Studio.open(holding: [.begin]) { studio in
            let low = studio.ask(Self.urgent(studio.request(), .low))
            let decode = try #require(studio.codec.priorities.values.first)
            #expect(decode.current == .low)
            // The same picture, then another size of the same source.
            for request in [studio.request(), studio.request("photo.jpg", 16)] {
                let high = studio.ask(Self.urgent(request, .veryHigh))
                #expect(decode.current == .veryHigh)
                studio.cancel(high)
                #expect(decode.current == .low)
                #expect(await code(of: high) == "cancelled")
            }
            studio.signal(studio.codec.mayBegin)
            #expect(await code(of: low) == nil)
        }
    }

    @Test func `a change of a task's priority reaches the decode (15)`() async throws {
        try await Studio.open(holding: [.begin]) { studio in
            let task = studio.pipeline.task(for: Self.urgent(studio.request(), .veryLow))
            studio.settle()
            let decode = try #require(studio.codec.priorities.values.first)
            for priority in WorkPriority.allCases {
                task.priority = priority
                #expect(decode.current == priority)
            }
            studio.signal(studio.codec.mayBegin)
            _ = try await task.value
        }
    }

    /// Loads through one connection; who was served in which order.
    private func order(
        _ studio: Studio,
        _ loads: [ImageRequest],
        then change: () -> Void
    ) async throws -> [String] {
        let gate = try studio.hold("occupant.jpg")
        let occupant = studio.ask(studio.request("occupant.jpg"))
        let tasks = loads.map { studio.ask($0) }
        change()
        studio.signal(gate)
        #expect(await code(of: occupant) == nil)
        for task in tasks { _ = await task.result }
        return studio.origin.requests.dropFirst().map { String($0.url.text.suffix(5)) }
    }

    @Test func `who waits for a connection is served by priority, then by age (40)`() async throws {
        try await Studio.open {
            $0.connections = 1
        } _: { studio in
            let loads = [
                ("1.jpg", WorkPriority.low), ("2.jpg", .normal), ("3.jpg", .high), ("4.jpg", .normal),
            ]
            .map { Self.urgent(studio.request($0.0), $0.1) }
            let served = try await order(studio, loads) {}
            #expect(served == ["3.jpg", "2.jpg", "4.jpg", "1.jpg"])
        }
    }

    @Test func `the snapshot tells who waits for a connection, in total and for which host`() async throws {
        try await Studio.open {
            $0.connections = 4
            $0.connectionsPerHost = 2
        } _: { studio in
            let gates = try (0..<7).map { try studio.hold("\($0).jpg") }
            let loads = (0..<7).map { studio.ask(studio.request("\($0).jpg")) }
            let origin = try WebURL(studio.url("0.jpg")).origin
            #expect(studio.pipeline.snapshot.connections == 7)
            #expect(studio.pipeline.snapshot.waitingForConnections == 5)
            #expect(studio.pipeline.snapshot.waitingPerHost == [origin: 5])
            for gate in gates { studio.signal(gate) }
            for load in loads { #expect(await code(of: load) == nil) }
        }
    }

    @Test func `an urgent caller who joins lifts what waits for a connection (14)`() async throws {
        try await Studio.open {
            $0.connections = 1
        } _: { studio in
            let loads = ["1.jpg", "2.jpg", "3.jpg"].map { Self.urgent(studio.request($0), .low) }
            var late: [Task<Rendition, any Error>] = []
            let served = try await order(studio, loads) {
                late = [studio.ask(Self.urgent(studio.request("2.jpg", 16), .high))]
                let gone = studio.ask(Self.urgent(studio.request("3.jpg"), .veryHigh))
                studio.cancel(gone)
            }
            for task in late { #expect(await code(of: task) == nil) }
            #expect(served == ["2.jpg", "1.jpg", "3.jpg"])
        }
    }

    @Test func `of equal priority, the one whose deadline comes first is served first`() async throws {
        try await Studio.open {
            $0.connections = 1
        } _: { studio in
            let now = ContinuousClock.now
            var loads = ["1.jpg", "2.jpg", "3.jpg"].map { studio.request($0) }
            loads[1].deadline = now + .seconds(100)
            loads[2].deadline = now + .seconds(50)
            let served = try await order(studio, loads) {}
            #expect(served == ["3.jpg", "2.jpg", "1.jpg"])
        }
    }

    @Test func `a flood of low priority leaves connections to what is urgent (46)`() async throws {
        try await Studio.open {
            $0.connections = 8
            $0.connectionsPerHost = 4
        } _: { studio in
            studio.origin.answer { $0.url.text.contains("flood") ? .never : nil }
            let flood = (0..<20).map { studio.ask(Self.urgent(studio.request("flood\($0).jpg"), .veryLow)) }
            #expect(studio.origin.statistics.open == 3)
            #expect(await code(of: studio.ask(studio.request())) == nil)
            for load in flood { studio.cancel(load) }
        }
    }

    @Test func `a deadline ends its own wait, and others go on`() async throws {
        try await Studio.open { studio in
            let gate = try studio.hold()
            var hurried = studio.request()
            hurried.deadline = .now + .seconds(5)
            let loads = [studio.ask(hurried), studio.ask(studio.request())]
            studio.advance(by: .seconds(5))
            #expect(await code(of: loads[0]) == "timeout_total")
            #expect(studio.origin.statistics.open == 1)
            studio.signal(gate)
            #expect(await code(of: loads[1]) == nil)
            #expect(studio.kinds(of: 1).contains(.failed(.timeoutTotal)))
            #expect(studio.origin.statistics.requests == 1)
        }
    }

    @Test func `a deadline that only its own load has ends the download too`() async throws {
        try await Studio.open { studio in
            _ = try studio.hold()
            var request = studio.request()
            request.deadline = .now + .seconds(5)
            let load = studio.ask(request)
            studio.advance(by: .seconds(5))
            #expect(await code(of: load) == "timeout_total")
            #expect(studio.origin.statistics.cancelled == 1)
            #expect(studio.clock.sleepers == 0)
        }
    }

    @Test func `a deadline that has passed lets nothing start`() async throws {
        try await Studio.open { studio in
            var request = studio.request()
            request.deadline = .now - .milliseconds(1)
            #expect(await code(of: studio.ask(request)) == "timeout_total")
            let late = request
            #expect(await code(of: studio.start { try await $0.data(for: late) }) == "timeout_total")
            #expect(studio.origin.statistics.requests == 0)
        }
    }

    @Test func `a deadline counts the time in the request hook`() async throws {
        let gate = Event()
        try await Studio.open {
            $0.prepare = { request in
                try await gate.wait()
                return request
            }
        } _: { studio in
            var request = studio.request()
            request.deadline = .now + .seconds(5)
            let load = studio.ask(request)
            studio.advance(by: .seconds(5))
            studio.signal(gate)
            #expect(await code(of: load) == "timeout_total")
            #expect(studio.origin.statistics.requests == 0)
        }
    }

    @Test func `a priority that the request hook sets holds`() async throws {
        try await Studio.open(holding: [.begin]) {
            $0.prepare = { request in Self.urgent(request, .veryHigh) }
        } _: { studio in
            let request = studio.request()
            let loads = [studio.ask(request), studio.ask(studio.request("other.jpg"))]
            let bitmap = studio.start { try await $0.bitmap(for: request) }
            #expect(studio.codec.priorities.values.map(\.current) == [.veryHigh, .veryHigh])
            studio.signal(studio.codec.mayBegin)
            for load in loads { #expect(await code(of: load) == nil) }
            #expect(await code(of: bitmap) == nil)
        }
    }

    @Test func `a deadline that the request hook sets holds`() async throws {
        try await Studio.open {
            $0.prepare = { request in
                var request = request
                request.deadline = .now + .seconds(5)
                return request
            }
        } _: { studio in
            _ = try studio.hold()
            let load = studio.ask(studio.request())
            studio.advance(by: .seconds(5))
            #expect(await code(of: load) == "timeout_total")
        }
    }
}
