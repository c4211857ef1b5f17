import CalotypeCore
import CalotypeTestKit
import TaskFlow
import Testing

@testable import Calotype

@Suite(.timeLimit(.minutes(1)))
struct BatchPolicyTests {
    private func requests(_ studio: Studio, _ names: [String]) -> [ImageRequest] {
        names.map { studio.request($0) }
    }

    @Test func `failures are left out unless asked otherwise, and keys are kept`() async throws {
        try await Studio.open { studio in
            try studio.origin.answer(studio.url("gone.jpg"), with: .status(404))
            let wanted = [
                "a": studio.request("a.jpg"), "b": studio.request("gone.jpg"), "c": studio.request("c.jpg"),
            ]
            let gathered = studio.start { try await $0.renditions(forKeyed: wanted).gather() }
            let keys = try await gathered.value.keys.sorted()
            #expect(keys == ["a", "c"])
        }
    }

    @Test func `outcomes of a keyed batch tell key, place and request`() async throws {
        try await Studio.open { studio in
            try studio.origin.answer(studio.url("gone.jpg"), with: .status(404))
            let wanted = [("x", studio.request("x.jpg")), ("y", studio.request("gone.jpg"))]
            let read = studio.start { pipeline in
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
        try await Studio.open { studio in
            _ = try studio.hold("held.jpg")
            try studio.origin.answer(studio.url("gone.jpg"), with: .status(404))
            let wanted = requests(studio, ["held.jpg", "gone.jpg"])
            let read = studio.start { try await $0.renditions(for: wanted).gather(.failFast) }
            let end = await code(of: read)
            #expect(end == "http_404")
            studio.settle()
            #expect(studio.origin.statistics.cancelled == 1)
        }
    }

    @Test func `require-any throws empty_result when nothing was loaded, and names the last failure`()
        async throws
    {
        try await Studio.open { studio in
            try studio.origin.answer(studio.url("gone.jpg"), with: .status(404))
            let none = requests(studio, ["gone.jpg", "gone.jpg"])
            let read = studio.start { try await $0.renditions(for: none).gather(.requireAny) }
            let error = await #expect(throws: CalotypeError.self) { try await read.value }
            #expect(error?.code == .emptyResult)
            #expect((error?.cause as? CalotypeError)?.code == .http(status: 404))
            let some = requests(studio, ["gone.jpg", "good.jpg"])
            let second = studio.start { try await $0.renditions(for: some).gather(.requireAny) }
            let keys = try await second.value.keys.sorted()
            #expect(keys == [1])
        }
    }

    @Test(arguments: [BatchCancellation.throwError, .returnPartial])
    func `on cancellation a batch throws or gives what it has, as asked`(
        cancellation: BatchCancellation
    ) async throws {
        try await Studio.open { studio in
            _ = try studio.hold("held.jpg")
            let wanted = requests(studio, ["good.jpg", "held.jpg"])
            let read = studio.start {
                try await $0.renditions(for: wanted).gather(.requireAny, onCancellation: cancellation)
            }
            studio.cancel(read)
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
        try await Studio.open { studio in
            _ = try studio.hold("held.jpg")
            let wanted = requests(studio, ["held.jpg"])
            let read = studio.start {
                try await $0.renditions(for: wanted).gather(.requireAny, onCancellation: .returnPartial)
            }
            studio.cancel(read)
            let isEmpty = try await read.value.isEmpty
            #expect(isEmpty)
        }
    }

    @Test func `an empty batch is empty; under require-any it is empty_result`() async throws {
        try await Studio.open { studio in
            let plain = studio.start { try await $0.renditions(for: []).gather(.failFast) }
            let isEmpty = try await plain.value.isEmpty
            #expect(isEmpty)
            let strict = studio.start { try await $0.renditions(for: []).gather(.requireAny) }
            let end = await code(of: strict)
            #expect(end == "empty_result")
        }
    }

    @Test func `a batch of a pipeline that has ended says so and never hangs (32)`() async throws {
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
