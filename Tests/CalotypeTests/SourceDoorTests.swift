import CalotypeCore
import CalotypeHTTP
import CalotypeTestKit
import TaskFlow
import Testing

@testable import Calotype

/// Loads that wait until the download of their source may begin.
@Suite(.timeLimit(.minutes(1)))
struct SourceDoorTests {
    /// Runs `body` with a pipeline that loads one source of a host at a time; "occupant.jpg" has the place until its event happens.
    private func withFullHost(
        _ configure: (inout PipelineConfiguration) -> Void = { _ in },
        _ body: (PipelineFixture, Event) async throws -> Void
    ) async throws {
        try await PipelineFixture.open {
            $0.connectionsPerHost = 1
            $0.loadsAhead = 0
            configure(&$0)
        } _: { fixture in
            let gate = try fixture.hold("occupant.jpg")
            let occupant = fixture.ask(fixture.request("occupant.jpg"))
            try await body(fixture, gate)
            fixture.signal(gate)
            #expect(await code(of: occupant) == nil)
            #expect(fixture.pipeline.door?.isEmpty == true)
        }
    }

    private func urgent(_ request: ImageRequest, _ priority: WorkPriority) -> ImageRequest {
        var request = request
        request.priority = priority
        return request
    }

    private func names(_ fixture: PipelineFixture) -> [String] {
        fixture.origin.requests.dropFirst().map { String($0.url.text.suffix(5)) }
    }

    @Test func `a load that waits has no flight and no task, and is counted`() async throws {
        try await withFullHost { fixture, gate in
            let before = fixture.pipeline.snapshot
            let loads = (0..<100).map { fixture.ask(fixture.request("\($0).jpg")) }
            let snapshot = fixture.pipeline.snapshot
            #expect(snapshot.flights == before.flights && snapshot.tasks == before.tasks)
            #expect(snapshot.registryEntries == before.registryEntries)
            #expect(snapshot.waitingForConnections == 100 && snapshot.connections == 101)
            let origin = try WebURL(fixture.url("0.jpg")).origin
            #expect(snapshot.waitingPerHost == [origin: 100])
            fixture.signal(gate)
            for load in loads { #expect(await code(of: load) == nil) }
            #expect(fixture.origin.statistics.requests == 101)
        }
    }

    @Test func `loads of one source that wait share its download and its decode`() async throws {
        try await withFullHost { fixture, gate in
            let loads = [32, 32, 16].map { fixture.ask(fixture.request("1.jpg", $0)) }
            #expect(fixture.pipeline.snapshot.waitingForConnections == 1)
            let decodes = fixture.codec.decodes.count
            fixture.signal(gate)
            for load in loads { #expect(await code(of: load) == nil) }
            #expect(names(fixture) == ["1.jpg"])
            #expect(fixture.codec.decodes.count == decodes + 2)
            #expect(fixture.kinds(of: 4).contains(.finished(.own)))
        }
    }

    @Test func `the last load that waits for a source leaves, and nothing is requested`() async throws {
        try await withFullHost { fixture, gate in
            let loads = [32, 32, 16].map { fixture.ask(fixture.request("1.jpg", $0)) }
            for load in loads { fixture.cancel(load) }
            for load in loads { #expect(await code(of: load) == "cancelled") }
            #expect(fixture.pipeline.snapshot.waitingForConnections == 0)
            fixture.signal(gate)
            #expect(names(fixture) == [])
        }
    }

    @Test func `a load that is cancelled as its turn comes passes the turn on`() async throws {
        try await withFullHost { fixture, gate in
            let loads = ["1.jpg", "2.jpg"].map { fixture.ask(fixture.request($0)) }
            gate.signal()
            var random = SplitMix64(seed: 1)
            // Until its turn has come, and before its task goes on.
            for _ in 0..<10_000 where fixture.pipeline.door?.waiting.values.first == 2 {
                fixture.settle(1, using: &random)
            }
            #expect(fixture.pipeline.door?.waiting.values.first == 1)
            fixture.cancel(loads[0])
            #expect(await code(of: loads[0]) == "cancelled")
            #expect(await code(of: loads[1]) == nil)
        }
    }

    @Test func `another caller of a running download does not wait`() async throws {
        try await withFullHost { fixture, _ in
            let before = fixture.pipeline.snapshot.waitingForConnections
            let other = fixture.ask(fixture.request("occupant.jpg", 16))
            #expect(fixture.pipeline.snapshot.waitingForConnections == before)
            fixture.cancel(other)
        }
    }

    @Test func `a load for the bytes of a source brings the loads that wait for it along`() async throws {
        try await PipelineFixture.open {
            $0.connectionsPerHost = 2
            $0.connections = 2
            $0.loadsAhead = 0
        } _: { fixture in
            let gates = try ["1.jpg", "2.jpg", "3.jpg"].map { try fixture.hold($0) }
            let loads = ["1.jpg", "2.jpg", "3.jpg"].map { fixture.ask(fixture.request($0)) }
            let third = fixture.request("3.jpg")
            let data = fixture.start { try await $0.data(for: third) }
            #expect(fixture.pipeline.door?.waiting == [:])
            for gate in gates { fixture.signal(gate) }
            for load in loads { #expect(await code(of: load) == nil) }
            #expect(await code(of: data) == nil)
            #expect(fixture.origin.statistics.requests == 3)
        }
    }

    @Test func `what is in memory does not wait behind downloads`() async throws {
        try await PipelineFixture.open {
            $0.connectionsPerHost = 1
            $0.loadsAhead = 0
        } _: { fixture in
            #expect(await code(of: fixture.ask(fixture.request())) == nil)
            let gate = try fixture.hold("occupant.jpg")
            let occupant = fixture.ask(fixture.request("occupant.jpg"))
            #expect(await code(of: fixture.ask(fixture.request())) == nil)
            fixture.signal(gate)
            #expect(await code(of: occupant) == nil)
        }
    }

    @Test func `what is in the store does not wait behind downloads, and is looked up once`() async throws {
        let store = HeldStore()
        try await PipelineFixture.open {
            $0.store = store
        } _: { fixture in
            #expect(await code(of: fixture.ask(fixture.request())) == nil)
        }
        let other = HeldStore(like: store)
        try await withFullHost {
            $0.store = other
        } _: { fixture, gate in
            #expect(await code(of: fixture.ask(fixture.request())) == nil)
            let request = fixture.request("1.jpg")
            let missing = [0, 0].map { _ in fixture.create { try await $0.rendition(for: request) } }
            fixture.settle()
            // The occupant, the picture that is there, and the one that is not.
            #expect(other.calls.values.count { $0 == .read } == 3)
            fixture.signal(gate)
            for load in missing { #expect(await code(of: load) == nil) }
        }
    }

    @Test func `a known absence does not wait behind downloads`() async throws {
        try await PipelineFixture.open {
            $0.connectionsPerHost = 1
            $0.loadsAhead = 0
        } _: { fixture in
            try fixture.origin.answer(fixture.url("gone.jpg"), with: .status(410))
            #expect(await code(of: fixture.ask(fixture.request("gone.jpg"))) == "http_410")
            let gate = try fixture.hold("occupant.jpg")
            let occupant = fixture.ask(fixture.request("occupant.jpg"))
            #expect(await code(of: fixture.ask(fixture.request("gone.jpg"))) == "http_410")
            fixture.signal(gate)
            #expect(await code(of: occupant) == nil)
        }
    }

    @Test func `loads that wait follow their priorities, and stay ahead of those that come later`()
        async throws
    {
        try await withFullHost { fixture, gate in
            let tasks = (1...3).map { number in
                fixture.pipeline.task(for: urgent(fixture.request("\(number).jpg"), .veryLow))
            }
            fixture.settle()
            tasks[2].priority = .high
            tasks[1].priority = .low
            fixture.settle()
            let fourth = fixture.ask(fixture.request("4.jpg"))
            fixture.signal(gate)
            for task in tasks { _ = try await task.value }
            #expect(await code(of: fourth) == nil)
            // One place is for urgent work alone.
            #expect(names(fixture) == ["3.jpg", "4.jpg", "2.jpg", "1.jpg"])
        }
    }

    @Test func `a host that hangs holds up no other`() async throws {
        try await PipelineFixture.open { fixture in
            fixture.origin.answer { $0.url.host == "dead.test" ? .never : nil }
            let dead = (0..<1000).map { fixture.ask(ImageRequest("http://dead.test/\($0).jpg")) }
            #expect(fixture.origin.statistics.open == PipelineConfiguration().connectionsPerHost)
            for name in 0..<20 { #expect(await code(of: fixture.ask(fixture.request("\(name).jpg"))) == nil) }
            for load in dead { load.cancel() }
            fixture.settle()
            for load in dead { #expect(await code(of: load) == "cancelled") }
        }
    }

    @Test func `a source that is to be tried again later gives its place to others`() async throws {
        try await PipelineFixture.open {
            $0.connectionsPerHost = 1
            $0.loadsAhead = 0
            $0.retries = 1
        } _: { fixture in
            try fixture.origin.answer(fixture.url("busy.jpg"), with: .status(503))
            let busy = fixture.ask(fixture.request("busy.jpg"))
            #expect(fixture.origin.statistics.requests == 1)
            // The clock stands still, so the second attempt is far off.
            #expect(await code(of: fixture.ask(fixture.request("1.jpg"))) == nil)
            fixture.cancel(busy)
            #expect(await code(of: busy) == "cancelled")
            #expect(fixture.pipeline.door?.isEmpty == true)
        }
    }

    @Test func `a deadline ends the wait, and nothing is requested`() async throws {
        try await withFullHost { fixture, gate in
            var request = fixture.request("1.jpg")
            request.deadline = .now + .seconds(5)
            let load = fixture.ask(request)
            fixture.advance(by: .seconds(5))
            #expect(await code(of: load) == "timeout_total")
            fixture.signal(gate)
            #expect(names(fixture) == [])
        }
    }

    @Test func `the wait is reported and counted as time in the queue`() async throws {
        try await withFullHost { fixture, gate in
            let load = fixture.ask(fixture.request("1.jpg"))
            #expect(fixture.kinds(of: 2) == [.started, .queued])
            fixture.clock.advance(by: .seconds(3))
            fixture.signal(gate)
            let timings = try await load.value.timings
            #expect(timings.queue >= .seconds(3))
            #expect(fixture.kinds(of: 2).starts(with: [.started, .queued, .requested(attempt: 1)]))
        }
    }

    @Test func `loads that wait at the end of the pipeline are cancelled`() async throws {
        let origin = ScriptedTransport(clock: ManualClock(), otherwise: .never)
        var configuration = PipelineConfiguration()
        configuration.exchange = origin
        configuration.connectionsPerHost = 1
        configuration.loadsAhead = 0
        let loads = try await withImagePipeline(configuration) { pipeline in
            let loads = (0..<3).map { number in
                Task { try await pipeline.rendition(for: ImageRequest("http://a.test/\(number)")) }
            }
            try await origin.waitForRequests(1)
            while pipeline.snapshot.waitingForConnections < 2 { await Task.yield() }
            return loads
        }
        for load in loads { #expect(await code(of: load) == "cancelled") }
        #expect(origin.statistics.requests == 1)
    }
}
