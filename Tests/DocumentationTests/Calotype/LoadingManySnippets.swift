import Calotype
import CalotypeTestKit
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct LoadingManySnippets {
    private let url = "http://photos.test/1.jpg"
    private let requests = (1...3).map { ImageRequest("http://photos.test/\($0).jpg", .none, .original) }
    private let requestsByUser = [
        "ada": ImageRequest("http://photos.test/ada.jpg", .none, .original),
        "bob": ImageRequest("http://photos.test/bob.jpg", .none, .original),
    ]

    /// Compiled only: it writes into the current folder.
    private func save(_ urls: [String], with pipeline: ImagePipeline) async throws {
        // snippet: Many.outcomes
        let requests = urls.map { ImageRequest($0, .fit(256, 256), .jpeg(quality: 82)) }
        for await outcome in pipeline.renditions(for: requests) {
            switch outcome.result {
            case .success(let picture): try picture.write(to: "\(outcome.index).jpg")
            case .failure(let error): print(outcome.request.source, error.code)
            }
        }
        // end
    }

    @Test func `a dictionary of pictures`() async throws {
        try await withSamplePipeline { pipeline, _ in
            // snippet: Many.keyed
            let avatars = try await pipeline.renditions(forKeyed: requestsByUser).gather()
            // end
            #expect(Set(avatars.keys) == ["ada", "bob"])
            // snippet: Many.partial
            let loaded = try await pipeline.renditions(forKeyed: requestsByUser)
                .gather(onCancellation: .returnPartial)
            // end
            #expect(loaded.count == 2)
        }
    }

    @Test func `the first failure ends the batch`() async throws {
        let shown = Recorder<Int>()
        func show(_ picture: Rendition, at index: Int) { shown.record(index) }
        try await withSamplePipeline { pipeline, _ in
            // snippet: Many.failFast
            let batch = pipeline.renditions(for: requests, order: .input).under(.failFast)
            for try await element in batch {
                show(element.rendition, at: element.index)
            }
            // end
        }
        #expect(shown.values == [0, 1, 2])
    }

    @Test func `a size that a document names`() async throws {
        try await withSamplePipeline { pipeline, transport in
            let document = ScriptedResponse.bytes(Array(#"{"width": 32, "height": 32}"#.utf8))
            try transport.answer("https://photos.example/7/metadata", with: document)
            // snippet: Many.thumbnail
            let source = ThumbnailSource<Int> { id in
                ("https://photos.example/\(id)", "https://photos.example/\(id)/metadata")
            } size: { document in
                let metadata = try JSONDecoder().decode(Metadata.self, from: Data(document))
                return PixelSize(width: metadata.width, height: metadata.height)
            }
            let thumbnail = try await pipeline.thumbnail(for: 7, from: source)
            // end
            #expect(thumbnail.size == PixelSize(width: 32, height: 24))
        }
    }

    @Test func `several sizes of one picture`() async throws {
        try await withSamplePipeline { pipeline, transport in
            // snippet: Many.sizes
            let sizes = try await pipeline.renditions(
                of: .url(url),
                as: [
                    RenditionSpec(.fit(1600, 1600), .webp),
                    RenditionSpec(.fill(320, 320), .webp),
                    RenditionSpec(.fill(64, 64), .png),
                ]
            )
            // end
            #expect(sizes.map(\.format) == [.webp, .webp, .png])
            #expect(transport.statistics.requests == 1)
        }
    }

    @Test func `several sizes of one picture, failures as values`() async throws {
        let specs = [RenditionSpec(.fit(32, 32), .jpeg), RenditionSpec(.stretch(17_000, 1), .webp)]
        var shown: [RenditionSpec] = []
        func show(_ picture: Rendition, as spec: RenditionSpec) { shown.append(spec) }
        try await withSamplePipeline { pipeline, _ in
            // snippet: Many.failures
            let results = try await pipeline.load(ImageRequest(url), as: specs)
            for (spec, result) in zip(specs, results) {
                switch result {
                case .success(let picture): show(picture, as: spec)
                case .failure(let error): print(spec.output, error.code)
                }
            }
            // end
        }
        #expect(shown == [specs[0]])
    }

    @Test func `effort and linear light`() {
        // snippet: Many.effort
        let quick = Transform.fit(256, 256).effort(.fast)
        let stars = Transform.fill(512, 512).effort(.best).inLinearLight()
        // end
        #expect(quick.effort == .fast && stars.effort == .best && stars.isLinearLight)
    }

    @Test func `files that end early`() async throws {
        func warn(_ url: String) { Issue.record("the file is whole") }
        try await withSamplePipeline { pipeline, _ in
            // snippet: Many.endingEarly
            var request = ImageRequest(url, .fit(256, 256))
            request.limits.acceptsTruncated = true
            let picture = try await pipeline.rendition(for: request)
            if picture.isPartial { warn(url) }
            // end
        }
    }
}

private struct Metadata: Decodable {
    let width: Int
    let height: Int
}
