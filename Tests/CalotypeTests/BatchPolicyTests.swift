import CalotypeCore
import CalotypeTestKit
import TaskFlow
import Testing

@testable import Calotype

@Suite(.timeLimit(.minutes(1)))
struct BatchPolicyTests {
    private func requests(_ fixture: PipelineFixture, _ names: [String]) -> [ImageRequest] {
        names.map { fixture.request($0) }
    }

    @Test func `failures are left out unless asked otherwise, and keys are kept`() async throws {
        try await PipelineFixture.open { fixture in
            try fixture.origin.answer(fixture.url("gone.jpg"), with: .status(404))
            let wanted = [
                "a": fixture.request("a.jpg"), "b": fixture.request("gone.jpg"),
                "c": fixture.request("c.jpg"),
            ]
            let gathered = fixture.start { try await $0.renditions(forKeyed: wanted).gather() }
            let keys = try await gathered.value.keys.sorted()
            #expect(keys == ["a", "c"])
        }
    }

    @Test func `outcomes of a keyed batch contain key, position and request`() async throws {
        try await PipelineFixture.open { fixture in
            try fixture.origin.answer(fixture.url("gone.jpg"), with: .status(404))
            let wanted = [("x", fixture.request("x.jpg")), ("y", fixture.request("gone.jpg"))]
            let read = fixture.start { pipeline in
                let keyed = wanted.map { (key: $0.0, value: $0.1) }
                return await pipeline.renditions(forKeyed: keyed, order: .input).reduce(into: []) {
                    $0.append($1)
                }
            }
            let outcomes = try await read.value
            #expect(outcomes.map(\.key) == ["x", "y"])
            #expect(outcomes.map(\.index) == [0, 1])
            #expect(outcomes.map(\.request) == wanted.map(\.1))
            #expect(throws: CalotypeError.self) { try outcomes[1].result.get() }
        }
    }

    @Test func `fail-fast throws the first failure and cancels the rest`() async throws {
        try await PipelineFixture.open { fixture in
            _ = try fixture.hold("held.jpg")
            try fixture.origin.answer(fixture.url("gone.jpg"), with: .status(404))
            let wanted = requests(fixture, ["held.jpg", "gone.jpg"])
            let read = fixture.start { try await $0.renditions(for: wanted).gather(.failFast) }
            let end = await code(of: read)
            #expect(end == "http_404")
            fixture.settle()
            #expect(fixture.origin.statistics.cancelled == 1)
        }
    }

    @Test func `require-any throws empty_result when nothing was loaded, and names the last failure`()
        async throws
    {
        try await PipelineFixture.open { fixture in
            try fixture.origin.answer(fixture.url("gone.jpg"), with: .status(404))
            let none = requests(fixture, ["gone.jpg", "gone.jpg"])
            let read = fixture.start { try await $0.renditions(for: none).gather(.requireAny) }
            let error = await #expect(throws: CalotypeError.self) { try await read.value }
            #expect(error?.code == .emptyResult)
            #expect((error?.cause as? CalotypeError)?.code == .http(status: 404))
            let some = requests(fixture, ["gone.jpg", "good.jpg"])
            let second = fixture.start { try await $0.renditions(for: some).gather(.requireAny) }
            let keys = try await second.value.keys.sorted()
            #expect(keys == [1])
        }
    }

    @Test(arguments: [BatchCancellation.throwError, .returnPartial])
    func `on cancellation a batch throws or gives what it has, as asked`(
        cancellation: BatchCancellation
    ) async throws {
        try await PipelineFixture.open { fixture in
            _ = try fixture.hold("held.jpg")
            let wanted = requests(fixture, ["good.jpg", "held.jpg"])
            let read = fixture.start {
                try await $0.renditions(for: wanted).gather(.requireAny, onCancellation: cancellation)
            }
            fixture.cancel(read)
            switch cancellation {
            case .throwError:
                let end = await code(of: read)
                #expect(end == "cancelled")
            case .returnPartial:
                let keys = try await read.value.keys.sorted()
                #expect(keys == [0])
            }
        }
    }

    @Test
    func
        `a batch that is cancelled before it has anything is empty, not a failure, where partial results are asked for`()
        async throws
    {
        try await PipelineFixture.open { fixture in
            _ = try fixture.hold("held.jpg")
            let wanted = requests(fixture, ["held.jpg"])
            let read = fixture.start {
                try await $0.renditions(for: wanted).gather(.requireAny, onCancellation: .returnPartial)
            }
            fixture.cancel(read)
            let isEmpty = try await read.value.isEmpty
            #expect(isEmpty)
        }
    }

    @Test func `an empty batch is empty; under require-any it is empty_result`() async throws {
        try await PipelineFixture.open { fixture in
            let plain = fixture.start { try await $0.renditions(for: []).gather(.failFast) }
            let isEmpty = try await plain.value.isEmpty
            #expect(isEmpty)
            let strict = fixture.start { try await $0.renditions(for: []).gather(.requireAny) }
            let end = await code(of: strict)
            #expect(end == "empty_result")
        }
    }

    @Test func `a batch of a pipeline that has ended says so and never hangs`() async throws {
        let pipeline = try await withImagePipeline { $0 }
        let requests = (0..<3).map { ImageRequest("http://origin.test/\($0).jpg") }
        let outcomes = await pipeline.renditions(for: requests).reduce(into: []) { $0.append($1) }
        #expect(outcomes.count == 1)
        let error = await #expect(throws: CalotypeError.self) {
            try await pipeline.renditions(for: requests).gather()
        }
        #expect(error?.code == .pipelineClosed)
    }
}
