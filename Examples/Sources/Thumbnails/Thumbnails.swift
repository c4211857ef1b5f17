import Calotype
import CalotypeOrigin
import CalotypeTestKit
import ExampleKit

/// Makes thumbnails in the sizes that the pictures' documents specify, and shows some while scrolling.
@main
struct Thumbnails {
    static func main() async {
        await Example.run {
            try await withSampleOrigin(faults: "latency=20ms") { origin in
                try await withShelf { shelf in try await makeAndStore(origin, shelf) }
                try await makeUntilCancelled(origin)
                try await scroll(origin)
            }
        }
    }

    /// Failures are values, and storing and logging delay nobody; the pipeline awaits them at its end.
    private static func makeAndStore(_ origin: Origin, _ shelf: Shelf) async throws {
        try await withImagePipeline { pipeline in
            let ids = Array(1...40) + [5000]
            for await result in pipeline.thumbnails(for: ids, from: ThumbnailSource(origin)) {
                let id = result.input
                switch result.result {
                case .success(let thumbnail):
                    try await pipeline.inBackground(name: "store") { await shelf.store(thumbnail, id: id) }
                    try await pipeline.inBackground(name: "log") {
                        shelf.log.record("\(id): \(thumbnail.size)")
                    }
                case .failure(let error):
                    print("  thumbnail \(id): \(error)")
                }
            }
        }
        let stored = try shelf.files.count
        print("stored \(stored) thumbnails, such as \(shelf.log.values.prefix(3).joined(separator: ", "))")
        try Example.expect(stored == 40 && shelf.log.count == 40, "40 stored, and as many lines in the log")
    }

    /// The result contains the thumbnails that were made before the cancellation, of 1,000.
    private static func makeUntilCancelled(_ origin: Origin) async throws {
        try await withImagePipeline { pipeline in
            let tenthCame = Event()
            let task = Task {
                var made: [Int: Rendition] = [:]
                for await result in pipeline.thumbnails(for: 1...1000, from: ThumbnailSource(origin)) {
                    if case .success(let thumbnail) = result.result { made[result.input] = thumbnail }
                    if made.count == 10 { tenthCame.signal() }
                }
                return made
            }
            try await tenthCame.wait()
            task.cancel()
            let made = await task.value
            print("cancelled after 10 of 1000: \(made.count) were made")
            try Example.expect((10..<1000).contains(made.count), "some of them")
        }
    }

    /// Loads only what stays on the screen; leaving the screen cancels the rest immediately.
    @MainActor
    private static func scroll(_ origin: Origin) async throws {
        try await withImagePipeline { pipeline in
            let gallery = ImageGallery<Int, Rendition>(pipeline.renditionLoader) { id in
                ImageRequest(origin.thumbnailURL(id), .fill(64, 64))
            }
            var shown: [Int] = []
            gallery.onChange = { id, state in
                if state.image != nil { shown.append(id) }
            }
            for row in 0..<10 {
                for id in row * 6 + 1...row * 6 + 6 { gallery.willDisplay(id) }
                if row == 9 { break }
                for id in row * 6 + 1...row * 6 + 6 { gallery.didEndDisplay(id) }
            }
            await settle(gallery)
            print("scrolled past 54 to \(gallery.indices.sorted()): \(shown.count) were loaded")
            try Example.expect(
                shown.sorted() == gallery.indices.sorted(),
                "those on the screen, not \(shown)"
            )

            for id in 61...66 { gallery.willDisplay(id) }
            gallery.leave()
            print("left the screen: \(gallery.loadCount) loads")
            try Example.expect(gallery.loadCount == 0 && gallery.indices.isEmpty, "an empty gallery")
        }
    }

    /// Waits until no slot is loading.
    @MainActor
    private static func settle(_ gallery: ImageGallery<Int, Rendition>) async {
        for id in gallery.indices {
            guard let slot = gallery[id] else { continue }
            for await state in slot.states where !state.isLoading { break }
        }
    }
}
