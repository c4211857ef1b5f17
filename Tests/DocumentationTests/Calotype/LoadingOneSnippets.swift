import Calotype
import CalotypeTestKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct LoadingOneSnippets {
    private let url = "http://photos.test/1.jpg"

    /// Compiled only: it would ask the network, and write into the current folder.
    private func saveIcons(_ requests: [ImageRequest]) async throws {
        // snippet: Landing
        try await withImagePipeline { pipeline in  // returns when all its work has ended
            // one
            let request = ImageRequest(url, .fit(256, 256), .jpeg(quality: 82))
            let icon = try await pipeline.rendition(for: request)
            try icon.write(to: "icon.jpg")

            // many, as they finish, failures as values
            for await outcome in pipeline.renditions(for: requests, limit: 8) {
                switch outcome.result {
                case .success(let picture): try picture.write(to: "\(outcome.index).jpg")
                case .failure(let error): print(outcome.request.source, error.code)
                }
            }
        }
        // end
        // snippet: One.rendition
        try await withImagePipeline { pipeline in
            let request = ImageRequest(url, .fit(256, 256), .jpeg(quality: 82))
            let icon = try await pipeline.rendition(for: request)
            try icon.write(to: "icon.jpg")
        }
        // end
    }

    @Test func `other forms of a picture`() async throws {
        try await withSamplePipeline { pipeline, _ in
            // snippet: One.forms
            let pixels = try await pipeline.bitmap(for: ImageRequest(url, .fill(64, 64)))
            let original = try await pipeline.data(for: ImageRequest(url))
            let info = try await pipeline.info(of: .url(url))
            // end
            #expect(pixels.size == PixelSize(width: 48, height: 48))
            #expect(original.facts == info.facts)
            #expect(info.bytes.bytes == original.bytes.count)
        }
    }

    @Test func `an upload`() async throws {
        let photo = TinyPicture.jpeg(PixelSize(width: 64, height: 48))
        let (body, sender) = AsyncStream.makeStream(of: ArraySlice<UInt8>.self)
        for half in [photo.prefix(200), photo.dropFirst(200)] { sender.yield(half) }
        sender.finish()
        let announced = ByteCount(photo.count)
        try await withSamplePipeline { pipeline, _ in
            // snippet: One.upload
            let sizes = [128, 512].map { RenditionSpec(.fit($0, $0), .jpeg(quality: 82)) }
            let renditions = try await pipeline.withUpload(body, length: announced) { upload in
                print(upload.info.facts.format, upload.info.facts.size)
                return try await pipeline.load(ImageRequest(upload.source), as: sizes)
            }
            // end
            #expect(try renditions.map { try $0.get().size.width } == [64, 64])
        }
    }

    @Test func `steps of one's own on the pixels`() async throws {
        try await withSamplePipeline { pipeline, _ in
            // snippet: One.processors
            struct Sepia: ImageProcessing {
                var identifier: String { "example.org sepia" }

                func process(_ bitmap: Bitmap) -> Bitmap {
                    let brown = Colour(red: 112, green: 66, blue: 20)
                    let grey = ImageProcessors.Greyscale().process(bitmap)
                    return ImageProcessors.Tint(brown, strength: 0.3).process(grey)
                }
            }

            var request = ImageRequest(url, .fill(256, 256), .png)
            request.processors = [Sepia(), .roundedCorners(24)]
            let card = try await pipeline.rendition(for: request)
            // end
            #expect(card.format == .png)
        }
    }

    @Test func `a decoder of one's own`() async throws {
        // snippet: One.decoder
        /// Reads farbfeld, a format with 16 bits for each of red, green, blue and alpha.
        struct Farbfeld: ImageDecoding {
            let identifier = "org.example.farbfeld/1"
            let signatures = [Array("farbfeld".utf8)]

            func facts(ofPrefix prefix: [UInt8]) -> ImageFacts? {
                guard prefix.count >= 16 else { return nil }
                let sides = [8, 12].map { prefix[$0..<$0 + 4].reduce(0) { $0 << 8 | Int($1) } }
                let size = PixelSize(width: sides[0], height: sides[1])
                return ImageFacts(format: .custom, storedSize: size, hasAlpha: true)
            }

            func bitmap(of bytes: [UInt8]) throws -> Bitmap {
                guard let size = facts(ofPrefix: bytes)?.size, bytes.count == 16 + size.pixelCount * 8
                else {
                    throw CalotypeError(.truncatedImage, "the farbfeld ends early", stage: .decode)
                }
                return Bitmap(size: size, rgba: stride(from: 16, to: bytes.count, by: 2).map { bytes[$0] })
            }
        }

        var configuration = PipelineConfiguration()
        configuration.codec.decoders = [Farbfeld()]
        // end
        let size: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 4]
        let picture = Array("farbfeld".utf8) + size + Array(repeating: 200, count: 16 * 8)
        let transport = ScriptedTransport(otherwise: .bytes(picture))
        configuration.exchange = transport
        let rendition = try await withImagePipeline(configuration) {
            try await $0.rendition(for: ImageRequest(url, .none, .png))
        }
        #expect(rendition.size == PixelSize(width: 4, height: 4))
        #expect(rendition.source.customDecoder == "org.example.farbfeld/1")
    }

    @Test func `an encoder of one's own`() async throws {
        try await withSamplePipeline { pipeline, _ in
            // snippet: One.encoder
            /// Writes farbfeld.
            struct FarbfeldEncoder: ImageEncoding {
                let identifier = "org.example.farbfeld/1"

                func encode(_ bitmap: Bitmap) -> [UInt8] {
                    let sides = [bitmap.size.width, bitmap.size.height]
                    let header = sides.flatMap { side in [24, 16, 8, 0].map { UInt8(side >> $0 & 255) } }
                    return Array("farbfeld".utf8) + header + bitmap.rgba.flatMap { [$0, $0] }
                }
            }

            let request = ImageRequest(url, .fit(256, 256), .encoded(by: FarbfeldEncoder()))
            let file = try await pipeline.rendition(for: request)
            // end
            #expect(file.format == .custom)
            #expect(file.bytes.count == 16 + file.size.pixelCount * 8)
        }
    }

    @Test func `a placeholder for what is not found`() async throws {
        try await withSamplePipeline { pipeline, transport in
            try transport.answer(url, with: .status(404))
            let placeholder = ImageRequest("http://photos.test/placeholder.jpg")
            func load(_ request: ImageRequest) async throws -> Rendition {
                // snippet: One.notFound
                do {
                    return try await pipeline.rendition(for: request)
                } catch let error as CalotypeError where error.code == .http(status: 404) {
                    return try await pipeline.rendition(for: placeholder)
                }
                // end
            }
            let picture = try await load(ImageRequest(url))
            #expect(picture.size == PixelSize(width: 64, height: 48))
        }
    }

    @Test func `a deadline`() async throws {
        try await withSamplePipeline { pipeline, _ in
            // snippet: One.deadline
            var request = ImageRequest(url, .fit(256, 256))
            request.deadline = .now + .seconds(2)
            let picture = try await pipeline.rendition(for: request)
            // end
            #expect(picture.size.width == 64)
        }
    }

    @Test func `progress`() async throws {
        try await withSamplePipeline { pipeline, _ in
            let request = ImageRequest(url)
            // snippet: One.progress
            let task = pipeline.task(for: request)
            for await progress in task.progress {
                print(progress.received, "of", progress.expected?.description ?? "an unknown number")
            }
            let picture = try await task.value
            // end
            #expect(picture.attempts == 1)
        }
    }

    @Test func `a callback`() async throws {
        let shown = Recorder<Int>()
        @Sendable func show(_ picture: Rendition) { shown.record(picture.size.width) }
        @Sendable func show(_ error: any Error) { Issue.record(error) }
        try await withSamplePipeline { pipeline, _ in
            let request = ImageRequest(url)
            // snippet: One.callback
            let token = pipeline.load(request) { result in
                switch result {
                case .success(let picture): show(picture)
                case .failure(let error): show(error)
                }
            }
            // end
            try await shown.wait(count: 1)
            token.cancel()
        }
        #expect(shown.values == [64])
    }

    @Test func `a pipeline for the whole process`() async throws {
        let request = ImageRequest(.bytes(TinyPicture.png()), .none, .original)
        // snippet: One.service
        let service = PipelineService()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await service.run() }
            let picture = try await service.pipeline.rendition(for: request)
            print(picture.size)
            await service.shutdown()
            try await group.waitForAll()
        }
        // end
    }
}
