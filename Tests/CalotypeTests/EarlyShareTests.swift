import CalotypeCore
import CalotypeHTTP
import CalotypeTestKit
import Testing

@testable import Calotype

/// Memory that is set aside for sources before their origins answer.
@Suite(.timeLimit(.minutes(1)))
struct EarlyShareTests {
    private static let memory = ByteCount.mebibytes(4)

    /// The first host answers with the photo, the others never.
    private func open(_ body: (PipelineFixture) async throws -> Void) async throws {
        try await PipelineFixture.open {
            $0.connections = 256
            $0.encodedBytes = Self.memory
        } _: { fixture in
            fixture.origin.answer { $0.url.host == "origin.test" ? nil : .never }
            try await body(fixture)
        }
    }

    private func hang(_ count: Int, _ fixture: PipelineFixture) -> [Task<Rendition, any Error>] {
        let tasks = (0..<count).map { number in
            fixture.ask(ImageRequest("http://host\(number).test/photo.jpg", .fit(32, 32)))
        }
        fixture.settle()
        return tasks
    }

    @Test func `origins that hang leave memory to those that respond`() async throws {
        try await open { fixture in
            let hung = hang(255, fixture)
            let used = fixture.pipeline.snapshot.encodedBytes
            #expect(used.bytes > 0 && used.bytes <= Self.memory.bytes * 3 / 4)
            #expect(fixture.origin.statistics.requests == 255)
            let picture = try await fixture.ask(fixture.request()).value
            #expect(picture.size == PixelSize(width: 32, height: 24))
            for task in hung { task.cancel() }
            fixture.settle()
            for task in hung { _ = await task.result }
        }
    }

    @Test func `reserved memory is free again when origins respond or clients leave`() async throws {
        try await open { fixture in
            for _ in 0..<3 {
                let hung = hang(255, fixture)
                let early = fixture.pipeline.sourceMemory.earlySnapshot
                #expect(early.used > early.capacity / 2)
                for task in hung { task.cancel() }
                fixture.settle()
                for task in hung { _ = await task.result }
                #expect(fixture.pipeline.sourceMemory.earlySnapshot.used == 0)
                #expect(fixture.pipeline.snapshot.encodedBytes == ByteCount(0))
            }
            _ = try await fixture.ask(fixture.request()).value
            #expect(fixture.pipeline.sourceMemory.earlySnapshot.used == 0)
        }
    }

    @Test func `a redirect takes its share again`() async throws {
        try await open { fixture in
            try fixture.origin.answer(
                fixture.url("moved.jpg"),
                with: .redirect(to: "photo.jpg"),
                .redirect(to: "http://other.test/photo.jpg")
            )
            let picture = try await fixture.ask(fixture.request("moved.jpg")).value
            #expect(picture.size == PixelSize(width: 32, height: 24))
            let hung = fixture.ask(fixture.request("moved.jpg", 16))
            fixture.settle()
            let memory = fixture.pipeline.sourceMemory
            #expect(memory.earlySnapshot.used == memory.reservation)
            hung.cancel()
            fixture.settle()
            _ = await hung.result
            #expect(memory.earlySnapshot.used == 0)
        }
    }
}
