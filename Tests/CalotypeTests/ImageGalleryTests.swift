import Calotype
import CalotypeCore
import CalotypeOrigin
import CalotypeSamplePictures
import CalotypeTestKit
import TaskFlow
import Testing

@MainActor
@Suite(.timeLimit(.minutes(1)))
struct ImageGalleryTests {
    @Test func `willDisplay starts, didEndDisplay cancels and forgets`() async throws {
        let pictures = ScriptedPictures()
        let told = Recorder<String>()
        try await withTaskScope { scope in
            let gallery = gallery(pictures, scope, told)
            gallery.willDisplay(1)
            gallery.willDisplay(2)
            try await pictures.begun.wait(count: 2)
            gallery.didEndDisplay(1)
            #expect(gallery[1] == nil)
            #expect(gallery.indices == [2])
            try await pictures.cancelled.wait(count: 1)
            pictures.finish("2")
            try await told.wait(count: 3)
            #expect(gallery[2]?.state.image == "2")
            #expect(gallery.loadCount == 0)
        }
        #expect(pictures.cancelled.values == ["1"])
        #expect(told.values.last == "2: image 2")
        #expect(!told.values.contains("1: placeholder"))
    }

    @Test func `leaving cancels all slots together, and nothing more is reported`() async throws {
        let pictures = ScriptedPictures()
        let told = Recorder<String>()
        try await withTaskScope { scope in
            let gallery = gallery(pictures, scope, told)
            for index in 0..<50 { gallery.willDisplay(index) }
            try await pictures.begun.wait(count: 50)
            gallery.leave()
            #expect(gallery.indices.isEmpty)
            #expect(gallery.loadCount == 0)
            await scope.end(.drain)
        }
        #expect(pictures.cancelled.count == 50)
        #expect(told.values == (0..<50).map { "\($0): loading" })
    }

    @Test func `a gallery that is released cancels all its loads`() async throws {
        let pictures = ScriptedPictures()
        try await withTaskScope { scope in
            var gallery: ImageGallery<Int, String>? = gallery(pictures, scope, Recorder())
            gallery?.willDisplay(1)
            try await pictures.begun.wait(count: 1)
            gallery = nil
            try await pictures.cancelled.wait(count: 1)
        }
    }

    @Test func `displayed again, a shown picture stays and a failed one is tried again`() async throws {
        let pictures = ScriptedPictures()
        let told = Recorder<String>()
        try await withTaskScope { scope in
            let gallery = gallery(pictures, scope, told)
            gallery.willDisplay(1)
            gallery.willDisplay(2)
            try await pictures.begun.wait(count: 2)
            pictures.finish("1")
            pictures.fail("2")
            try await told.wait(count: 4)
            gallery.willDisplay(1)
            gallery.willDisplay(2)
            #expect(gallery[1]?.state.image == "1")
            #expect(gallery[2]?.state.isLoading == true)
            try await pictures.begun.wait(count: 3)
            #expect(pictures.begun.values.last == "2")
        }
    }

    @Test func `an index without a picture keeps its placeholder`() async throws {
        let pictures = ScriptedPictures()
        await withTaskScope { scope in
            let gallery = ImageGallery<Int, String>(pictures.loader(scope)) { _ in nil }
            let slot = gallery.willDisplay(1)
            #expect(slot.state.isPlaceholder)
            #expect(gallery.loadCount == 0)
        }
        #expect(pictures.begun.count == 0)
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `scrolled back and forth, no picture lands at another index`(_ seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let pictures = ScriptedPictures(isDeaf: true)
        await withTaskScope { scope in
            let gallery = ImageGallery<Int, String>(pictures.loader(scope)) { ImageRequest("\($0)") }
            gallery.onChange = { [unowned gallery] index, state in
                if let image = state.image { #expect(image == "\(index)") }
                #expect(gallery[index] != nil)
            }
            var first = 0
            for _ in 0..<100 {
                let next = max(first + Int.random(in: -8...8, using: &random), 0)
                let (old, new) = (Set(first..<first + 10), Set(next..<next + 10))
                for index in old.subtracting(new) { gallery.didEndDisplay(index) }
                for index in new { gallery.willDisplay(index) }
                first = next
                if Bool.random(using: &random) { pictures.finishAll() }
                await Task.yield()
            }
            #expect(gallery.indices == Set(first..<first + 10))
            while gallery.loadCount > 0 {
                pictures.finishAll()
                await Task.yield()
            }
            let images = (first..<first + 10).map { gallery[$0]?.state.image }
            #expect(images == (first..<first + 10).map { "\($0)" })
            while scope.activeCount > 0 {
                pictures.finishAll()
                await Task.yield()
            }
        }
    }

    @Test func `with a pipeline: pictures show, leaving closes the connections`() async throws {
        try await Gallery.open { origin, pipeline in
            let paths = ["/pictures/\(Gallery.photo)", "/hang", "/pictures/\(Gallery.drawing)", "/hang?2"]
            let shown = Recorder<Int>()
            let gallery = ImageGallery<Int, Bitmap>(pipeline.bitmapLoader) {
                ImageRequest(origin.url(paths[$0]), .fit(64, 64))
            }
            gallery.onChange = { index, state in
                if state.image != nil { shown.record(index) }
            }
            for index in paths.indices { gallery.willDisplay(index) }
            let indices = Set(try await shown.wait(count: 2))
            #expect(indices == [0, 2])
            #expect(gallery[0]?.state.image?.size == PixelSize(width: 64, height: 48))
            _ = try await origin.statistics { $0.requests == 4 }
            gallery.leave()
            _ = try await origin.statistics { $0.earlyHangUps == 2 }
        }
    }

    private func gallery(
        _ pictures: ScriptedPictures,
        _ scope: TaskScope,
        _ told: Recorder<String>
    ) -> ImageGallery<Int, String> {
        let gallery = ImageGallery<Int, String>(pictures.loader(scope)) { ImageRequest("\($0)") }
        gallery.onChange = { index, state in told.record("\(index): \(state.text)") }
        return gallery
    }
}
