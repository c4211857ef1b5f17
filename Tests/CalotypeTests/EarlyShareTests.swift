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
    private func open(_ body: (Studio) async throws -> Void) async throws {
        try await Studio.open {
            $0.connections = 256
            $0.encodedBytes = Self.memory
        } _: { studio in
            studio.origin.answer { $0.url.host == "origin.test" ? nil : .never }
            try await body(studio)
        }
    }

    private func hang(_ count: Int, _ studio: Studio) -> [Task<Rendition, any Error>] {
        let tasks = (0..<count).map { number in
            studio.ask(ImageRequest("http://host\(number).test/photo.jpg", .fit(32, 32)))
        }
        studio.settle()
        return tasks
    }

    @Test func `origins that hang leave memory to those that answer (IS-H11)`() async throws {
        try await open { studio in
            let hung = hang(255, studio)
            let used = studio.pipeline.snapshot.encodedBytes
            #expect(used.bytes > 0 && used.bytes <= Self.memory.bytes * 3 / 4)
            #expect(studio.origin.statistics.requests == 255)
            let picture = try await studio.ask(studio.request()).value
            #expect(picture.size == PixelSize(width: 32, height: 24))
            for task in hung { task.cancel() }
            studio.settle()
            for task in hung { _ = await task.result }
        }
    }

    @Test func `what was set aside is there again when origins answer or clients leave`() async throws {
        try await open { studio in
            for _ in 0..<3 {
                let hung = hang(255, studio)
                let loader = studio.pipeline.sources.loader
                #expect(loader.early.snapshot.used > loader.early.snapshot.capacity / 2)
                for task in hung { task.cancel() }
                studio.settle()
                for task in hung { _ = await task.result }
                #expect(loader.early.snapshot.used == 0)
                #expect(studio.pipeline.snapshot.encodedBytes == ByteCount(0))
            }
            _ = try await studio.ask(studio.request()).value
            #expect(studio.pipeline.sources.loader.early.snapshot.used == 0)
        }
    }

    @Test func `a redirect takes its share anew`() async throws {
        try await open { studio in
            try studio.origin.answer(
                studio.url("moved.jpg"),
                with: .redirect(to: "photo.jpg"),
                .redirect(to: "http://other.test/photo.jpg")
            )
            let picture = try await studio.ask(studio.request("moved.jpg")).value
            #expect(picture.size == PixelSize(width: 32, height: 24))
            let hung = studio.ask(studio.request("moved.jpg", 16))
            studio.settle()
            let loader = studio.pipeline.sources.loader
            #expect(loader.early.snapshot.used == loader.estimate.reservation)
            hung.cancel()
            studio.settle()
            _ = await hung.result
            #expect(loader.early.snapshot.used == 0)
        }
    }
}
