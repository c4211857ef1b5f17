import Calotype
import CalotypePlatform
import CalotypeTestKit
import Testing

@MainActor
@Suite(.timeLimit(.minutes(1))) struct ViewSnippets {
    private let url = "http://photos.test/1.jpg"
    private let photos = (0..<20).map { "http://photos.test/\($0).jpg" }
    private let requests = (0..<3).map { ImageRequest("http://photos.test/\($0).jpg", .none, .original) }

    @Test func `a slot`() async throws {
        let cell = Cell()
        try await withSamplePipeline { pipeline, _ in
            // snippet: View.slot
            let slot = ImageSlot(pipeline.bitmapLoader)
            slot.onChange = { state in
                switch state {
                case .placeholder: cell.drawPlaceholder()
                case .loading: cell.drawSpinner()
                case .image(let bitmap): cell.draw(bitmap)
                case .failure: cell.drawFailureMark()
                }
            }
            slot.show(ImageRequest(url, .fill(120, 120)))
            // end
            let drawn = try await cell.drawn.wait(count: 2)
            #expect(drawn == ["spinner", "48x48"])
        }
    }

    @Test func `a slot whose cell draws every state`() async throws {
        let cell = Cell()
        try await withSamplePipeline { pipeline, _ in
            // snippet: View.shortSlot
            let slot = ImageSlot(pipeline.bitmapLoader)
            slot.onChange = { state in cell.draw(state) }
            slot.show(ImageRequest(url, .fill(120, 120)))
            // end
            let drawn = try await cell.drawn.wait(count: 2)
            #expect(drawn == ["spinner", "other"])
        }
    }

    @Test func `pictures of another type`() async throws {
        try await withSamplePipeline { pipeline, _ in
            // snippet: View.map
            let textures = pipeline.bitmapLoader.map { bitmap in try await Texture(bitmap) }
            // end
            let slot = ImageSlot(textures)
            slot.show(ImageRequest(url))
            for await state in slot.states where !state.isLoading {
                #expect(state.image?.size.width == 64)
                break
            }
        }
    }

    @Test func `a gallery`() async throws {
        let cells = [7: Cell()]
        try await withSamplePipeline { pipeline, _ in
            // snippet: View.gallery
            let gallery = ImageGallery<Int, Bitmap>(pipeline.bitmapLoader) { index in
                ImageRequest(photos[index], .fill(120, 120))
            }
            gallery.onChange = { index, state in cells[index]?.draw(state) }

            gallery.willDisplay(7)
            gallery.didEndDisplay(7)
            gallery.leave()
            // end
            #expect(gallery.indices.isEmpty)
        }
    }

    @Test func `loading ahead`() async throws {
        let nextScreen = requests
        let scrolledAway = [requests[0]]
        try await withSamplePipeline { pipeline, _ in
            // snippet: View.prefetch
            let prefetcher = Prefetcher(pipeline.bitmapLoader)
            let upcoming = prefetcher.start(nextScreen)
            prefetcher.stop(scrolledAway)
            prefetcher.pause()
            prefetcher.resume()
            let summary = try await upcoming.summary
            // end
            #expect(summary.total == 3)
        }
    }

    @Test func `loading ahead to the disk`() async throws {
        let folder = "/tmp/calotype-test-\(UInt64.random(in: 0...UInt64.max))"
        let wholeAlbum: [ImageRequest] = []
        // snippet: View.disk
        var configuration = PipelineConfiguration()
        configuration.diskCache = DiskCacheConfiguration(folder: folder)
        configuration.stores = [.renditions, .sources]

        try await withImagePipeline(configuration) { pipeline in
            let summary = try await Prefetcher(toDisk: pipeline).start(wholeAlbum).summary
            print("\(summary.loaded) of \(summary.total) are on the disk")
        }
        // end
        for name in ["index.db", "index.db-wal", "index.db-shm", "owner.lock"] {
            unsafe unlink("\(folder)/\(name)")
        }
        #expect(unsafe rmdir(folder) == 0)
    }

    @Test func `any picture of many`() async throws {
        try await withSamplePipeline { pipeline, _ in
            // snippet: View.pool
            let pool = ImagePool(pipeline.renditionLoader, of: requests)
            let picture = try await pool.randomPicture()
            // end
            #expect(picture.size.width == 64)
        }
    }
}

private struct Texture: Sendable {
    let size: PixelSize

    @concurrent
    init(_ bitmap: Bitmap) async throws { size = bitmap.size }
}

@MainActor
private final class Cell {
    let drawn = Recorder<String>()

    func drawPlaceholder() { drawn.record("placeholder") }
    func drawSpinner() { drawn.record("spinner") }
    func drawFailureMark() { drawn.record("failure") }
    func draw(_ bitmap: Bitmap) { drawn.record("\(bitmap.size.width)x\(bitmap.size.height)") }
    func draw(_ state: SlotState<Bitmap>) { drawn.record(state.isLoading ? "spinner" : "other") }
}
