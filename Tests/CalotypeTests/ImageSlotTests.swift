import CalotypeCore
import CalotypeOrigin
import CalotypeSamplePictures
import CalotypeTestKit
import TaskFlow
import Testing

@testable import Calotype

@MainActor
@Suite(.timeLimit(.minutes(1)))
struct ImageSlotTests {
    @Test func `a slot goes from placeholder over loading to the image`() async throws {
        let pictures = ScriptedPictures()
        try await withTaskScope { scope in
            let slot = ImageSlot(pictures.loader(scope))
            #expect(slot.state.isPlaceholder)
            let told = told(by: slot)
            slot.show(ImageRequest("a"))
            #expect(slot.state.isLoading)
            try await pictures.begun.wait(count: 1)
            pictures.finish("a")
            try await told.wait(count: 2)
            #expect(told.values == ["loading", "image a"])
            #expect(slot.state.image == "a")
            #expect(!slot.isBusy)
        }
    }

    @Test(arguments: [false, true])
    func `a new request cancels the old one, whose result never shows`(_ isDeaf: Bool) async throws {
        let pictures = ScriptedPictures(isDeaf: isDeaf)
        let told = Recorder<String>()
        try await withTaskScope { scope in
            let slot = ImageSlot(pictures.loader(scope))
            record(slot, told)
            slot.show(ImageRequest("old"))
            try await pictures.begun.wait(count: 1)
            slot.show(ImageRequest("new"))
            try await pictures.begun.wait(count: 2)
            if !isDeaf { try await pictures.cancelled.wait(count: 1) }
            pictures.finish("new")
            try await told.wait(count: 3)
            if isDeaf { pictures.finish("old") }
            await scope.end(.drain)
            #expect(slot.state.image == "new")
        }
        #expect(told.values == ["loading", "loading", "image new"])
    }

    @Test func `the old result that comes first does not show either`() async throws {
        let pictures = ScriptedPictures(isDeaf: true)
        try await withTaskScope { scope in
            let slot = ImageSlot(pictures.loader(scope))
            let told = told(by: slot)
            slot.show(ImageRequest("old"))
            try await pictures.begun.wait(count: 1)
            slot.show(ImageRequest("new"))
            pictures.finish("old")
            try await pictures.begun.wait(count: 2)
            #expect(slot.state.isLoading)
            pictures.finish("new")
            try await told.wait(count: 3)
            #expect(told.values == ["loading", "loading", "image new"])
        }
    }

    @Test func `a cleared slot shows the placeholder, and its cancelled load no failure`() async throws {
        let pictures = ScriptedPictures()
        let told = Recorder<String>()
        try await withTaskScope { scope in
            let slot = ImageSlot(pictures.loader(scope))
            record(slot, told)
            slot.show(ImageRequest("a"))
            try await pictures.begun.wait(count: 1)
            slot.clear()
            #expect(slot.state.isPlaceholder)
            #expect(!slot.isBusy)
            await scope.end(.drain)
            #expect(slot.state.isPlaceholder)
        }
        #expect(told.values == ["loading", "placeholder"])
        #expect(pictures.cancelled.values == ["a"])
    }

    @Test func `a load that is cancelled with its scope leaves the placeholder`() async throws {
        let pictures = ScriptedPictures()
        let told = Recorder<String>()
        try await withTaskScope { scope in
            let slot = ImageSlot(pictures.loader(scope))
            record(slot, told)
            slot.show(ImageRequest("a"))
            try await pictures.begun.wait(count: 1)
            await scope.end()
            #expect(slot.request == nil)
            #expect(!slot.isBusy)
        }
        #expect(told.values == ["loading", "placeholder"])
    }

    @Test func `a failure is shown, leaves no task, and is retried on request`() async throws {
        let pictures = ScriptedPictures()
        try await withTaskScope { scope in
            let slot = ImageSlot(pictures.loader(scope))
            let told = told(by: slot)
            slot.show(ImageRequest("a"))
            try await pictures.begun.wait(count: 1)
            pictures.fail("a")
            try await told.wait(count: 2)
            #expect((slot.state.error as? CalotypeError)?.code == .http(status: 404))
            #expect(!slot.isBusy)
            slot.show(ImageRequest("a"))
            try await pictures.begun.wait(count: 2)
            pictures.finish("a")
            try await told.wait(count: 4)
            #expect(told.values == ["loading", "failure", "loading", "image a"])
        }
    }

    @Test func `what is on its way or shown is not loaded again`() async throws {
        let pictures = ScriptedPictures()
        try await withTaskScope { scope in
            let slot = ImageSlot(pictures.loader(scope))
            let told = told(by: slot)
            slot.show(ImageRequest("a"))
            slot.show(ImageRequest("a"))
            try await pictures.begun.wait(count: 1)
            pictures.finish("a")
            try await told.wait(count: 2)
            slot.show(ImageRequest("a"))
            #expect(slot.state.image == "a")
            await scope.end(.drain)
            #expect(told.values == ["loading", "image a"])
            #expect(pictures.begun.count == 1)
        }
    }

    @Test func `a slot that is released cancels its load`() async throws {
        let pictures = ScriptedPictures()
        try await withTaskScope { scope in
            var slot: ImageSlot? = ImageSlot(pictures.loader(scope))
            slot?.show(ImageRequest("a"))
            try await pictures.begun.wait(count: 1)
            slot = nil
            try await pictures.cancelled.wait(count: 1)
        }
    }

    @Test func `an observer may ask for another picture immediately`() async throws {
        let pictures = ScriptedPictures()
        try await withTaskScope { scope in
            let slot = ImageSlot(pictures.loader(scope))
            let shown = Event()
            slot.onChange = { [unowned slot] state in
                if state.image == "small" { slot.show(ImageRequest("large")) }
                if state.image == "large" { shown.signal() }
            }
            slot.show(ImageRequest("small"))
            try await pictures.begun.wait(count: 1)
            pictures.finish("small")
            try await pictures.begun.wait(count: 2)
            pictures.finish("large")
            try await shown.wait()
            #expect(slot.request?.name == "large")
        }
    }

    @Test func `a reader of states gets the current one, then the newest, until the slot is released`()
        async throws
    {
        let pictures = ScriptedPictures()
        await withTaskScope { scope in
            var slot: ImageSlot? = ImageSlot(pictures.loader(scope))
            var reader = slot?.states.makeAsyncIterator()
            let first = await reader?.next()
            #expect(first?.isPlaceholder == true)
            for name in ["a", "b", "c"] { slot?.show(ImageRequest(name)) }
            slot?.clear()
            let newest = await reader?.next()
            #expect(newest?.isPlaceholder == true)
            slot = nil
            let end = await reader?.next()
            #expect(end == nil)
        }
    }

    @Test func `after the end of the scope it shows that the pipeline is closed`() async throws {
        let pictures = ScriptedPictures()
        await withTaskScope { scope in
            let slot = ImageSlot(pictures.loader(scope))
            await scope.end()
            slot.show(ImageRequest("a"))
            #expect((slot.state.error as? CalotypeError)?.code == .pipelineClosed)
        }
    }

    @Test func `loads run where the scope says, not on the main actor`() async throws {
        let pictures = ScriptedPictures()
        let executor = ManualExecutor()
        let scope = TaskScope(executor: executor)
        let slot = ImageSlot(pictures.loader(scope).map { "\($0)!" })
        let told = told(by: slot)
        slot.show(ImageRequest("a"))
        #expect(pictures.begun.count == 0)
        executor.runUntilIdle()
        #expect(pictures.begun.values == ["a"])
        pictures.finish("a")
        executor.runUntilIdle()
        try await told.wait(count: 2)
        #expect(slot.state.image == "a!")
        try await executor.waitForJobs(1)
        executor.runUntilIdle()
        await scope.end()
    }

    @Test func `what is cleared before its load began never begins`() async throws {
        let pictures = ScriptedPictures()
        let executor = ManualExecutor()
        let scope = TaskScope(executor: executor)
        let slot = ImageSlot(pictures.loader(scope))
        slot.show(ImageRequest("a"))
        slot.clear()
        executor.runUntilIdle()
        try await executor.waitForJobs(1)
        executor.runUntilIdle()
        await scope.end()
        #expect(pictures.begun.count == 0)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `in any order of results, only the last request is shown`(_ seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let pictures = ScriptedPictures(isDeaf: true)
        let shown = Recorder<String>()
        await withTaskScope { scope in
            let slot = ImageSlot(pictures.loader(scope))
            slot.onChange = { [unowned slot] state in
                guard let image = state.image else { return }
                shown.record(image)
                #expect(image == slot.request?.name)
            }
            for step in 0..<100 {
                switch Int.random(in: 0..<10, using: &random) {
                case 0..<5: slot.show(ImageRequest("\(step)"))
                case 5: slot.clear()
                case 6: pictures.finishAll()
                default: await Task.yield()
                }
            }
            slot.show(ImageRequest("last"))
            while scope.activeCount > 0 {
                pictures.finishAll()
                await Task.yield()
            }
            #expect(slot.state.image == "last")
        }
        #expect(shown.values.last == "last")
    }

    @Test func `with a pipeline: the new picture replaces one that hangs, and an error shows`() async throws {
        try await Gallery.open { origin, pipeline in
            let slot = ImageSlot(pipeline.renditionLoader)
            var states = slot.states.makeAsyncIterator()
            slot.show(ImageRequest(origin.url("/hang"), .fit(64, 64)))
            _ = try await origin.statistics { $0.requests == 1 }
            slot.show(ImageRequest(origin.url("/pictures/\(Gallery.photo)"), .fit(64, 64)))
            while slot.state.isLoading { _ = await states.next() }
            #expect(slot.state.image?.size == PixelSize(width: 64, height: 48))
            _ = try await origin.statistics { $0.earlyHangUps == 1 }
            slot.show(ImageRequest(origin.url("/nothing-here"), .fit(64, 64)))
            while slot.state.isLoading { _ = await states.next() }
            #expect((slot.state.error as? CalotypeError)?.code == .http(status: 404))
        }
    }

    private func told(by slot: ImageSlot<String>) -> Recorder<String> {
        let told = Recorder<String>()
        record(slot, told)
        return told
    }

    private func record(_ slot: ImageSlot<String>, _ told: Recorder<String>) {
        slot.onChange = { told.record($0.text) }
    }
}

extension SlotState<String> {
    /// The state in a word.
    var text: String {
        switch self {
        case .placeholder: "placeholder"
        case .loading: "loading"
        case .image(let picture): "image \(picture)"
        case .failure: "failure"
        }
    }
}
