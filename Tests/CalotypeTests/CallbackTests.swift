import CalotypeCore
import CalotypeTestKit
import Dispatch
import TaskFlow
import Testing

@testable import Calotype

@Suite(.timeLimit(.minutes(1)))
struct CallbackTests {
    private let queue = DispatchQueue(label: "callbacks")
    private static let key = DispatchSpecificKey<String>()

    init() {
        queue.setSpecific(key: Self.key, value: "callbacks")
    }

    @Test func `the callback comes once, on the queue, with the picture`() async throws {
        let calls = Recorder<(width: Int?, queue: String?)>()
        try await PipelineFixture.open { fixture in
            fixture.pipeline.load(fixture.request(), on: queue) { result in
                let width = try? result.get().size.width
                calls.record((width, DispatchQueue.getSpecific(key: Self.key)))
            }
            #expect(calls.count == 0)
            fixture.settle()
            let call = try await calls.wait(count: 1)[0]
            #expect(call.width == 32)
            #expect(call.queue == "callbacks")
        }
        #expect(calls.count == 1)
    }

    @Test func `cancelled twice, it comes once, with the cancellation, and the download ends`()
        async throws
    {
        let calls = Recorder<Bool>()
        try await PipelineFixture.open { fixture in
            _ = try fixture.hold()
            let token = fixture.pipeline.load(fixture.request(), on: queue) { result in
                if case .failure(is CancellationError) = result {
                    calls.record(true)
                } else {
                    calls.record(false)
                }
            }
            fixture.settle()
            token.cancel()
            token.cancel()
            fixture.settle()
            let ends = try await calls.wait(count: 1)
            #expect(ends == [true])
            #expect(fixture.origin.statistics.cancelled == 1)
        }
        #expect(calls.count == 1)
    }

    @Test func `a token that is dropped leaves the load alone`() async throws {
        let calls = Recorder<Bool>()
        try await PipelineFixture.open { fixture in
            let held = try fixture.hold()
            _ = fixture.pipeline.load(fixture.request(), on: queue) { result in
                calls.record((try? result.get()) != nil)
            }
            fixture.settle()
            fixture.signal(held)
            let ends = try await calls.wait(count: 1)
            #expect(ends == [true])
        }
    }

    @Test func `after the end of the pipeline the callback comes too, never inside the call`()
        async throws
    {
        let pipeline = try await withImagePipeline { $0 }
        let calls = Recorder<ErrorCode?>()
        let inside = Event()
        queue.sync {
            pipeline.load(ImageRequest("http://origin.test/photo.jpg"), on: queue) { result in
                #expect(inside.hasHappened)
                if case .failure(let error as CalotypeError) = result { calls.record(error.code) }
            }
            inside.signal()
        }
        let codes = try await calls.wait(count: 1)
        #expect(codes == [.pipelineClosed])
    }
}
