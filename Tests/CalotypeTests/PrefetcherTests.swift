import Calotype
import CalotypeCore
import CalotypeOrigin
import CalotypeTestKit
import TaskFlow
import Testing

@Suite(.timeLimit(.minutes(1)))
struct PrefetcherTests {
    @Test func `loads in order, four at a time by default`() async throws {
        let pictures = ScriptedPictures()
        try await withTaskScope { scope in
            let prefetcher = Prefetcher(pictures.loader(scope))
            let token = prefetcher.start(requests(0..<10))
            for count in 1...10 {
                try await pictures.begun.wait(count: min(count + 3, 10))
                #expect(prefetcher.loadCount <= 4)
                pictures.finish("\(count - 1)")
            }
            let summary = try await token.summary
            #expect(summary.loaded == 10)
            #expect(summary.total == 10)
            #expect(prefetcher.waitingCount == 0)
        }
        #expect(pictures.mostRunning <= 4)
        #expect(Set(pictures.begun.values) == Set((0..<10).map { "\($0)" }))
    }

    @Test func `a failure frees its place and is counted`() async throws {
        let pictures = ScriptedPictures()
        try await withTaskScope { scope in
            let prefetcher = Prefetcher(pictures.loader(scope), limit: 1)
            let token = prefetcher.start(requests(0..<2))
            try await pictures.begun.wait(count: 1)
            pictures.fail("0")
            try await pictures.begun.wait(count: 2)
            pictures.finish("1")
            let summary = try await token.summary
            #expect(summary.failed == 1)
            #expect(summary.loaded == 1)
        }
    }

    @Test func `duplicates are fetched once, whatever their priority`() async throws {
        let pictures = ScriptedPictures()
        try await withTaskScope { scope in
            let prefetcher = Prefetcher(pictures.loader(scope))
            let low = ImageRequest("a", priority: .low)
            let high = ImageRequest("a", priority: .high)
            let first = prefetcher.start([low, high, low])
            let second = prefetcher.start([high])
            try await pictures.begun.wait(count: 1)
            pictures.finish("a")
            let one = try await first.summary
            let two = try await second.summary
            #expect(one.loaded == 1)
            #expect(two.loaded == 1)
        }
        #expect(pictures.begun.count == 1)
    }

    @Test func `stopped right after the start, nothing is fetched`() async throws {
        let pictures = ScriptedPictures()
        let executor = ManualExecutor()
        let scope = TaskScope(executor: executor)
        let ended = Recorder<PrefetchSummary>()
        let prefetcher = Prefetcher(pictures.loader(scope))
        prefetcher.start(requests(0..<10)) { ended.record($0) }
        prefetcher.stop(requests(0..<10))
        executor.runUntilIdle()
        await scope.end()
        #expect(pictures.begun.count == 0)
        #expect(ended.values.map(\.stopped) == [10])
    }

    @Test func `stopped while it waits it never begins, while it loads it is cancelled`() async throws {
        let pictures = ScriptedPictures()
        try await withTaskScope { scope in
            let prefetcher = Prefetcher(pictures.loader(scope), limit: 1)
            let token = prefetcher.start(requests(0..<3))
            try await pictures.begun.wait(count: 1)
            prefetcher.stop(requests(0..<2))
            try await pictures.cancelled.wait(count: 1)
            try await pictures.begun.wait(count: 2)
            pictures.finish("2")
            let summary = try await token.summary
            #expect(summary.stopped == 2)
            #expect(summary.loaded == 1)
        }
        #expect(pictures.begun.values == ["0", "2"])
    }

    @Test func `stopped and started again, it comes`() async throws {
        let pictures = ScriptedPictures()
        try await withTaskScope { scope in
            let prefetcher = Prefetcher(pictures.loader(scope))
            prefetcher.start(requests(0..<1))
            try await pictures.begun.wait(count: 1)
            prefetcher.stopAll()
            let token = prefetcher.start(requests(0..<1))
            try await pictures.cancelled.wait(count: 1)
            try await pictures.begun.wait(count: 2)
            pictures.finish("0")
            let summary = try await token.summary
            #expect(summary.loaded == 1)
        }
    }

    @Test func `while paused, loads continue and none begins; after resuming, the rest follows`() async throws
    {
        let pictures = ScriptedPictures()
        let executor = ManualExecutor()
        let scope = TaskScope(executor: executor)
        let prefetcher = Prefetcher(pictures.loader(scope), limit: 1)
        prefetcher.start(requests(0..<2))
        executor.runUntilIdle()
        prefetcher.pause()
        #expect(prefetcher.isPaused)
        pictures.finish("0")
        executor.runUntilIdle()
        #expect(pictures.begun.values == ["0"])
        #expect(prefetcher.loadCount == 0)
        prefetcher.resume()
        executor.runUntilIdle()
        #expect(pictures.begun.values == ["0", "1"])
        pictures.finish("1")
        executor.runUntilIdle()
        await scope.end()
    }

    @Test func `a change of priority holds for what waits and for what is under way`() async throws {
        let pictures = ScriptedPictures()
        try await withTaskScope { scope in
            let prefetcher = Prefetcher(pictures.loader(scope), limit: 1)
            prefetcher.start(requests(0..<2))
            let running = try await pictures.priorities.wait(count: 1)[0]
            #expect(running.current == .low)
            prefetcher.priority = .veryHigh
            #expect(running.current == .veryHigh)
            try await pictures.begun.wait(count: 1)
            pictures.finish("0")
            let next = try await pictures.priorities.wait(count: 2)[1]
            #expect(next.current == .veryHigh)
            prefetcher.stopAll()
        }
    }

    @Test func `let go of, it cancels all`() async throws {
        let pictures = ScriptedPictures()
        let ended = Recorder<PrefetchSummary>()
        try await withTaskScope { scope in
            var prefetcher: Prefetcher? = Prefetcher(pictures.loader(scope), limit: 2)
            prefetcher?.start(requests(0..<10)) { ended.record($0) }
            try await pictures.begun.wait(count: 2)
            prefetcher = nil
            try await pictures.cancelled.wait(count: 2)
            try await ended.wait(count: 1)
        }
        #expect(ended.values.map(\.stopped) == [10])
        #expect(pictures.begun.count == 2)
    }

    @Test(arguments: [0, 1, 20_000])
    func `the end is reported once, for empty and for huge lists`(_ count: Int) async throws {
        let ended = Recorder<PrefetchSummary>()
        try await withTaskScope { scope in
            let prefetcher = Prefetcher(ImageLoader(scope: scope) { _, _ in }, limit: 8)
            let token = prefetcher.start(requests(0..<count)) { ended.record($0) }
            let summary = try await token.summary
            #expect(summary.loaded == count)
            try await ended.wait(count: 1)
            await scope.end(.drain)
        }
        #expect(ended.count == 1)
    }

    @Test func `the end is never reported inside start`() async throws {
        let executor = ManualExecutor()
        let scope = TaskScope(executor: executor)
        let ended = Recorder<PrefetchSummary>()
        let prefetcher = Prefetcher(ImageLoader(scope: scope) { _, _ in })
        prefetcher.start([]) { ended.record($0) }
        #expect(ended.count == 0)
        executor.runUntilIdle()
        #expect(ended.count == 1)
        await scope.end()
    }

    @Test func `what is too much is refused and said so`() async throws {
        try await withTaskScope { scope in
            let prefetcher = Prefetcher(ImageLoader(scope: scope) { _, _ in }, capacity: 100)
            prefetcher.pause()
            let token = prefetcher.start(requests(0..<150))
            #expect(prefetcher.waitingCount == 100)
            prefetcher.resume()
            let summary = try await token.summary
            #expect(summary.loaded == 100)
            #expect(summary.refused == 50)
        }
    }

    @Test func `of several lists one is cancelled, the others finish`() async throws {
        let pictures = ScriptedPictures()
        try await withTaskScope { scope in
            let prefetcher = Prefetcher(pictures.loader(scope), limit: 10)
            let tokens = [0..<3, 2..<5, 5..<7].map { prefetcher.start(requests($0)) }
            try await pictures.begun.wait(count: 7)
            tokens[1].cancel()
            tokens[1].cancel()
            try await pictures.cancelled.wait(count: 2)
            pictures.finishAll()
            let counts = [
                try await tokens[0].summary.loaded, try await tokens[1].summary.stopped,
                try await tokens[2].summary.loaded,
            ]
            #expect(counts == [3, 3, 2])
        }
        #expect(Set(pictures.cancelled.values) == ["3", "4"])
    }

    @Test func `a caller that waits for the end can be cancelled, and the list continues`() async throws {
        let pictures = ScriptedPictures()
        try await withTaskScope { scope in
            let prefetcher = Prefetcher(pictures.loader(scope))
            let token = prefetcher.start(requests(0..<1))
            try await pictures.begun.wait(count: 1)
            let waiter = Task { try await token.summary }
            waiter.cancel()
            await #expect(throws: CancellationError.self) { try await waiter.value }
            pictures.finish("0")
            let summary = try await token.summary
            #expect(summary.loaded == 1)
        }
    }

    @Test func `the end of the scope ends all lists, later ones too`() async throws {
        let pictures = ScriptedPictures()
        let ended = Recorder<PrefetchSummary>()
        try await withTaskScope { scope in
            let prefetcher = Prefetcher(pictures.loader(scope), limit: 2)
            prefetcher.start(requests(0..<1_000)) { ended.record($0) }
            try await pictures.begun.wait(count: 2)
            await scope.end()
            prefetcher.start(requests(0..<5)) { ended.record($0) }
            #expect(ended.values.map(\.stopped) == [1_000, 5])
            #expect(prefetcher.loadCount == 0)
        }
        #expect(pictures.begun.count == 2)
    }

    @Test func `with a pipeline: what is prefetched costs no request when it is wanted`() async throws {
        try await Gallery.open { origin, pipeline in
            let requests = [Gallery.photo, Gallery.drawing].map {
                ImageRequest(origin.url("/pictures/\($0)"), .fit(64, 64))
            }
            let prefetcher = Prefetcher(pipeline.renditionLoader)
            let first = try await prefetcher.start(requests).summary
            #expect(first.loaded == 2)
            #expect(origin.statistics.requests == 2)
            let again = try await prefetcher.start(requests).summary
            #expect(again.loaded == 2)
            let picture = try await pipeline.rendition(for: requests[0])
            #expect(picture.size == PixelSize(width: 64, height: 48))
            #expect(origin.statistics.requests == 2)
        }
    }

    @Test func `with a pipeline: stopping hangs up, and the end of the pipeline leaves nothing`() async throws
    {
        try await Gallery.open { origin, pipeline in
            let prefetcher = Prefetcher(pipeline.renditionLoader)
            let hanging = (0..<6).map { ImageRequest(origin.url("/hang?\($0)"), .fit(64, 64)) }
            prefetcher.start(hanging)
            _ = try await origin.statistics { $0.requests == 4 }
            prefetcher.stop(Array(hanging.prefix(5)))
            _ = try await origin.statistics { $0.earlyHangUps == 4 && $0.requests == 5 }
            #expect(prefetcher.waitingCount == 0)
        }
    }

    private func requests(_ numbers: Range<Int>) -> [ImageRequest] {
        numbers.map { ImageRequest("\($0)") }
    }
}
