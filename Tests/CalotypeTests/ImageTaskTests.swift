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

    @Test func `a task gives its picture to all who wait for it`() async throws {
        try await Studio.open { studio in
            let task = studio.pipeline.task(for: studio.request())
            let waiters = (0..<3).map { _ in studio.start { _ in try await task.value.size } }
            for waiter in waiters {
                let size = try await waiter.value
                #expect(size == PixelSize(width: 32, height: 24))
            }
            #expect(studio.origin.statistics.requests == 1)
            #expect(!task.isCancelled)
        }
    }

    @Test func `27: cancel twice is harmless, and after the end the picture stays`() async throws {
        try await Studio.open { studio in
            let done = studio.pipeline.task(for: studio.request())
            studio.settle()
            done.cancel()
            done.cancel()
            #expect(!done.isCancelled)
            let size = try await done.value.size
            #expect(size.width == 32)
        }
    }

    @Test func `28, 29: a task that is cancelled at once says so at once and asks nobody`() async throws {
        try await Studio.open { studio in
            let task = studio.pipeline.task(for: studio.request())
            task.cancel()
            #expect(task.isCancelled)
            studio.settle()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(studio.origin.statistics.requests == 0)
        }
    }

    @Test func `8: the last task that is dropped ends the download`() async throws {
        try await Studio.open { studio in
            _ = try studio.hold()
            var tasks = (0..<2).map { _ in studio.pipeline.task(for: studio.request()) }
            studio.settle()
            #expect(studio.origin.statistics.open == 1)
            tasks.removeLast()
            studio.settle()
            #expect(studio.origin.statistics.open == 1)
            tasks.removeLast()
            studio.settle()
            #expect(studio.origin.statistics.cancelled == 1)
        }
    }

    @Test func `31: one who waits is cancelled, the load goes on`() async throws {
        try await Studio.open { studio in
            let held = try studio.hold()
            let task = studio.pipeline.task(for: studio.request())
            let waiter = studio.start { _ in try await task.value }
            studio.cancel(waiter)
            let end = await code(of: waiter)
            #expect(end == "cancelled")
            studio.signal(held)
            let picture = try await task.value
            #expect(picture.size.width == 32)
        }
    }

    @Test func `47: progress is exact, grows, and ends with everything`() async throws {
        try await Studio.open { studio in
            let size = ByteCount(1000)
            let answer = ScriptedAnswer.bytes(drawing).inPieces(of: size, every: .seconds(1))
            try studio.origin.answer(studio.url("slow.jpg"), with: answer)
            let task = studio.pipeline.task(for: studio.request("slow.jpg"))
            let reader = studio.start { _ in await task.progress.reduce(into: []) { $0.append($1) } }
            let pieces = (drawing.count + 999) / 1000
            for _ in 0..<pieces { studio.advance(by: .seconds(1)) }
            let seen = try await reader.value
            #expect(seen.map(\.received.bytes) == (1...pieces).map { min($0 * 1000, drawing.count) })
            #expect(seen.allSatisfy { $0.expected?.bytes == drawing.count })
            #expect(seen.last?.fraction == 1)
        }
    }

    @Test func `47: an unknown length stays unknown, and a shorter one than told is clamped`() async throws {
        let unknown = SourceProgress(received: ByteCount(7), expected: nil)
        #expect(unknown.fraction == nil)
        let clamped = SourceProgress(received: ByteCount(7), expected: ByteCount(5))
        #expect(clamped.expected == ByteCount(7))
        try await Studio.open { studio in
            let answer = ScriptedAnswer(length: .unknown, body: [.bytes(drawing)])
            try studio.origin.answer(studio.url("chunked.jpg"), with: answer)
            let task = studio.pipeline.task(for: studio.request("chunked.jpg"))
            let reader = studio.start { _ in await task.progress.reduce(into: []) { $0.append($1) } }
            let seen = try await reader.value
            #expect(seen == [SourceProgress(received: ByteCount(drawing.count), expected: nil)])
        }
    }

    @Test
    func `48, 49: each observer sees all from where it joins, and one after the end sees the last and ends`()
        async throws
    {
        try await Studio.open { studio in
            let answer = ScriptedAnswer.bytes(drawing).inPieces(of: ByteCount(2000), every: .seconds(1))
            try studio.origin.answer(studio.url("slow.jpg"), with: answer)
            let first = studio.pipeline.task(for: studio.request("slow.jpg"))
            let early = studio.start { _ in
                await first.progress.reduce(into: []) { $0.append($1.received.bytes) }
            }
            studio.advance(by: .seconds(1))
            studio.advance(by: .seconds(1))
            // Another task for another size joins the same download.
            let second = studio.pipeline.task(for: studio.request("slow.jpg", 16))
            let late = studio.start { _ in
                await second.progress.reduce(into: []) { $0.append($1.received.bytes) }
            }
            for _ in 0..<(drawing.count / 2000 + 1) { studio.advance(by: .seconds(1)) }
            let all = try await early.value
            let rest = try await late.value
            #expect(all.first == 2000)
            #expect(rest == Array(all.dropFirst()))
            #expect(studio.origin.statistics.requests == 1)
            let after = studio.start { _ in
                await first.progress.reduce(into: []) { $0.append($1.received.bytes) }
            }
            let last = try await after.value
            #expect(last == [drawing.count])
        }
    }

    @Test func `47: a second attempt tells nothing before it is further than the first`() async throws {
        try await Studio.open {
            $0.retries = 1
        } _: { studio in
            let whole = ScriptedAnswer.bytes(drawing)
            try studio.origin.answer(
                studio.url("cut.jpg"),
                with: whole.cut(after: ByteCount(3000)),
                whole.inPieces(of: ByteCount(2000), every: .seconds(1))
            )
            let task = studio.pipeline.task(for: studio.request("cut.jpg"))
            let reader = studio.start { _ in
                await task.progress.reduce(into: []) { $0.append($1.received.bytes) }
            }
            for _ in 0..<(drawing.count / 2000 + 20) { studio.advance(by: .seconds(1)) }
            let seen = try await reader.value
            #expect(seen.first == 3000)
            #expect(seen == seen.sorted())
            #expect(Set(seen).count == seen.count)
            #expect(seen.last == drawing.count)
        }
    }

    @Test func `50: what memory has comes without progress`() async throws {
        try await Studio.open { studio in
            let first = studio.ask(studio.request())
            _ = try await first.value
            let task = studio.pipeline.task(for: studio.request())
            let reader = studio.start { _ in await task.progress.reduce(into: 0) { count, _ in count += 1 } }
            let count = try await reader.value
            #expect(count == 0)
        }
    }

    @Test func `a priority that is raised while the load waits gets the next free slot`() async throws {
        try await Studio.open {
            $0.connections = 1
        } _: { studio in
            let held = try studio.hold("first.jpg")
            let names = ["first.jpg"] + (0..<20).map { "\($0).jpg" }
            let tasks = names.map { name in
                studio.pipeline.task(for: ImageRequest(studio.url(name), .fit(8, 8), priority: .low))
            }
            studio.settle()
            tasks[20].priority = .high
            #expect(tasks[20].priority == .high)
            studio.signal(held)
            #expect(
                studio.origin.requests.prefix(2).map(\.url.text) == [
                    studio.url("first.jpg"), studio.url("19.jpg"),
                ]
            )
        }
    }

    @Test func `52: previews come while the picture does, never after it, and only when asked for`()
        async throws
    {
        let progressive = try await ProgressivePhoto.encoded(256, 192)
        try await Studio.open { studio in
            let answer = ScriptedAnswer.bytes(progressive).inPieces(of: ByteCount(2000), every: .seconds(1))
            try studio.origin.answer(studio.url("p.jpg"), with: answer)
            let shown = studio.pipeline.bitmapTask(for: studio.request("p.jpg", 128), previews: true)
            let plain = studio.pipeline.bitmapTask(for: studio.request("p.jpg", 128))
            let previews = studio.start { _ in await shown.previews.reduce(into: []) { $0.append($1) } }
            let none = studio.start { _ in await plain.previews.reduce(into: []) { $0.append($1) } }
            for _ in 0...(progressive.count / 2000 + 1) { studio.advance(by: .seconds(1)) }
            let final = try await shown.value
            let seen = try await previews.value
            #expect(!seen.isEmpty)
            #expect(seen.allSatisfy { $0.size == final.size })
            let unasked = try await none.value
            #expect(unasked.isEmpty)
            let cached = studio.start { try await $0.bitmap(for: studio.request("p.jpg", 128)) }
            let stored = try await cached.value
            #expect(stored == final)
        }
    }

    @Test func `32: a task of a pipeline that has ended fails with pipeline_closed`() async throws {
        let pipeline = try await withImagePipeline { $0 }
        let task = pipeline.task(for: ImageRequest("http://origin.test/photo.jpg"))
        let error = await #expect(throws: CalotypeError.self) { try await task.value }
        #expect(error?.code == .pipelineClosed)
    }
}
