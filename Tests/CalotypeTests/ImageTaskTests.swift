import CalotypeCodec
import CalotypeCore
import CalotypeHTTP
import CalotypeTestKit
import TaskFlow
import Testing

@testable import Calotype

@Suite(.timeLimit(.minutes(1)))
struct ImageTaskTests {
    /// PNG of 9 kB.
    private let drawing = TinyPicture.png(PixelSize(width: 64, height: 48))

    @Test func `a task gives its picture to all its waiters`() async throws {
        try await PipelineFixture.open { fixture in
            let task = fixture.pipeline.task(for: fixture.request())
            let waiters = (0..<3).map { _ in fixture.start { _ in try await task.value.size } }
            for waiter in waiters {
                let size = try await waiter.value
                #expect(size == PixelSize(width: 32, height: 24))
            }
            #expect(fixture.origin.statistics.requests == 1)
            #expect(!task.isCancelled)
        }
    }

    @Test func `cancel twice is harmless, and after the end the picture stays`() async throws {
        try await PipelineFixture.open { fixture in
            let done = fixture.pipeline.task(for: fixture.request())
            fixture.settle()
            done.cancel()
            done.cancel()
            #expect(!done.isCancelled)
            let size = try await done.value.size
            #expect(size.width == 32)
        }
    }

    @Test func `a task that is cancelled immediately throws immediately and sends no request`() async throws {
        try await PipelineFixture.open { fixture in
            let task = fixture.pipeline.task(for: fixture.request())
            task.cancel()
            #expect(task.isCancelled)
            fixture.settle()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(fixture.origin.statistics.requests == 0)
        }
    }

    @Test func `the last task that is dropped ends the download`() async throws {
        try await PipelineFixture.open { fixture in
            _ = try fixture.hold()
            var tasks = (0..<2).map { _ in fixture.pipeline.task(for: fixture.request()) }
            fixture.settle()
            #expect(fixture.origin.statistics.open == 1)
            tasks.removeLast()
            fixture.settle()
            #expect(fixture.origin.statistics.open == 1)
            tasks.removeLast()
            fixture.settle()
            #expect(fixture.origin.statistics.cancelled == 1)
        }
    }

    @Test func `a waiter is cancelled, and the load continues`() async throws {
        try await PipelineFixture.open { fixture in
            let held = try fixture.hold()
            let task = fixture.pipeline.task(for: fixture.request())
            let waiter = fixture.start { _ in try await task.value }
            fixture.cancel(waiter)
            let end = await code(of: waiter)
            #expect(end == "cancelled")
            fixture.signal(held)
            let picture = try await task.value
            #expect(picture.size.width == 32)
        }
    }

    @Test func `progress is exact, grows, and ends with everything`() async throws {
        try await PipelineFixture.open { fixture in
            let size = ByteCount(1000)
            let answer = ScriptedResponse.bytes(drawing).inPieces(of: size, every: .seconds(1))
            try fixture.origin.answer(fixture.url("slow.jpg"), with: answer)
            let task = fixture.pipeline.task(for: fixture.request("slow.jpg"))
            let reader = fixture.start { _ in await task.progress.reduce(into: []) { $0.append($1) } }
            let pieces = (drawing.count + 999) / 1000
            for _ in 0..<pieces { fixture.advance(by: .seconds(1)) }
            let seen = try await reader.value
            #expect(seen.map(\.received.bytes) == (1...pieces).map { min($0 * 1000, drawing.count) })
            #expect(seen.allSatisfy { $0.expected?.bytes == drawing.count })
            #expect(seen.last?.fraction == 1)
        }
    }

    @Test func `an unknown length stays unknown, and a length that is too short is clamped`() async throws {
        let unknown = SourceProgress(received: ByteCount(7), expected: nil)
        #expect(unknown.fraction == nil)
        let clamped = SourceProgress(received: ByteCount(7), expected: ByteCount(5))
        #expect(clamped.expected == ByteCount(7))
        try await PipelineFixture.open { fixture in
            let answer = ScriptedResponse(length: .unknown, body: [.bytes(drawing)])
            try fixture.origin.answer(fixture.url("chunked.jpg"), with: answer)
            let task = fixture.pipeline.task(for: fixture.request("chunked.jpg"))
            let reader = fixture.start { _ in await task.progress.reduce(into: []) { $0.append($1) } }
            let seen = try await reader.value
            #expect(seen == [SourceProgress(received: ByteCount(drawing.count), expected: nil)])
        }
    }

    @Test
    func `each observer sees all from where it joins, and one after the end sees the last and ends`()
        async throws
    {
        try await PipelineFixture.open { fixture in
            let answer = ScriptedResponse.bytes(drawing).inPieces(of: ByteCount(2000), every: .seconds(1))
            try fixture.origin.answer(fixture.url("slow.jpg"), with: answer)
            let first = fixture.pipeline.task(for: fixture.request("slow.jpg"))
            let early = fixture.start { _ in
                await first.progress.reduce(into: []) { $0.append($1.received.bytes) }
            }
            fixture.advance(by: .seconds(1))
            fixture.advance(by: .seconds(1))
            // Another task for another size joins the same download.
            let second = fixture.pipeline.task(for: fixture.request("slow.jpg", 16))
            let late = fixture.start { _ in
                await second.progress.reduce(into: []) { $0.append($1.received.bytes) }
            }
            for _ in 0..<(drawing.count / 2000 + 1) { fixture.advance(by: .seconds(1)) }
            let all = try await early.value
            let rest = try await late.value
            #expect(all.first == 2000)
            #expect(rest == Array(all.dropFirst()))
            #expect(fixture.origin.statistics.requests == 1)
            let after = fixture.start { _ in
                await first.progress.reduce(into: []) { $0.append($1.received.bytes) }
            }
            let last = try await after.value
            #expect(last == [drawing.count])
        }
    }

    @Test func `a second attempt reports nothing before it is further than the first`() async throws {
        try await PipelineFixture.open {
            $0.retries = 1
        } _: { fixture in
            let whole = ScriptedResponse.bytes(drawing)
            try fixture.origin.answer(
                fixture.url("cut.jpg"),
                with: whole.cut(after: ByteCount(3000)),
                whole.inPieces(of: ByteCount(2000), every: .seconds(1))
            )
            let task = fixture.pipeline.task(for: fixture.request("cut.jpg"))
            let reader = fixture.start { _ in
                await task.progress.reduce(into: []) { $0.append($1.received.bytes) }
            }
            for _ in 0..<(drawing.count / 2000 + 20) { fixture.advance(by: .seconds(1)) }
            let seen = try await reader.value
            #expect(seen.first == 3000)
            #expect(seen == seen.sorted())
            #expect(Set(seen).count == seen.count)
            #expect(seen.last == drawing.count)
        }
    }

    @Test func `what memory has comes without progress`() async throws {
        try await PipelineFixture.open { fixture in
            let first = fixture.ask(fixture.request())
            _ = try await first.value
            let task = fixture.pipeline.task(for: fixture.request())
            let reader = fixture.start { _ in await task.progress.reduce(into: 0) { count, _ in count += 1 } }
            let count = try await reader.value
            #expect(count == 0)
        }
    }

    @Test func `a priority that is raised while the load waits gets the next free slot`() async throws {
        try await PipelineFixture.open {
            $0.connections = 1
        } _: { fixture in
            let held = try fixture.hold("first.jpg")
            let names = ["first.jpg"] + (0..<20).map { "\($0).jpg" }
            let tasks = names.map { name in
                fixture.pipeline.task(for: ImageRequest(fixture.url(name), .fit(8, 8), priority: .low))
            }
            fixture.settle()
            tasks[20].priority = .high
            #expect(tasks[20].priority == .high)
            fixture.signal(held)
            #expect(
                fixture.origin.requests.prefix(2).map(\.url.text) == [
                    fixture.url("first.jpg"), fixture.url("19.jpg"),
                ]
            )
        }
    }

    @Test func `previews arrive before the picture, never after it, and only on request`()
        async throws
    {
        let progressive = try await ProgressivePhoto.encoded(256, 192)
        try await PipelineFixture.open { fixture in
            let answer = ScriptedResponse.bytes(progressive).inPieces(of: ByteCount(2000), every: .seconds(1))
            try fixture.origin.answer(fixture.url("p.jpg"), with: answer)
            let shown = fixture.pipeline.bitmapTask(for: fixture.request("p.jpg", 128), previews: true)
            let plain = fixture.pipeline.bitmapTask(for: fixture.request("p.jpg", 128))
            let previews = fixture.start { _ in await shown.previews.reduce(into: []) { $0.append($1) } }
            let none = fixture.start { _ in await plain.previews.reduce(into: []) { $0.append($1) } }
            for _ in 0...(progressive.count / 2000 + 1) { fixture.advance(by: .seconds(1)) }
            let final = try await shown.value
            let seen = try await previews.value
            #expect(!seen.isEmpty)
            #expect(seen.allSatisfy { $0.size == final.size })
            let unasked = try await none.value
            #expect(unasked.isEmpty)
            let cached = fixture.start { try await $0.bitmap(for: fixture.request("p.jpg", 128)) }
            let stored = try await cached.value
            #expect(stored == final)
        }
    }

    @Test func `a task of a pipeline that has ended fails with pipeline_closed`() async throws {
        let pipeline = try await withImagePipeline { $0 }
        let task = pipeline.task(for: ImageRequest("http://origin.test/photo.jpg"))
        let error = await #expect(throws: CalotypeError.self) { try await task.value }
        #expect(error?.code == .pipelineClosed)
    }
}
