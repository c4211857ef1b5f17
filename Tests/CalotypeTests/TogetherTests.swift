import CalotypeCodec
import CalotypeCore
import CalotypeTestKit
import TaskFlow
import Testing

@testable import Calotype

@Suite(.timeLimit(.minutes(1)))
struct TogetherTests {
    private let specs = [
        RenditionSpec(.fit(32, 32), .jpeg), RenditionSpec(.fit(16, 16), .png),
        RenditionSpec(.none, .original(quality: 80)),
    ]

    @Test func `several renditions of one source come in their order from one request and one decode`()
        async throws
    {
        try await PipelineFixture.open { fixture in
            let made = fixture.start { [specs] in
                try await $0.renditions(of: .url(fixture.url("photo.jpg")), as: specs)
            }
            let renditions = try await made.value
            #expect(renditions.map(\.format) == [.jpeg, .png, .jpeg])
            #expect(renditions.map(\.size.width) == [32, 16, 64])
            #expect(renditions[2].isVerbatim)
            #expect(fixture.origin.statistics.requests == 1)
            #expect(fixture.codec.decodes.values.map(\.count) == [3])
        }
    }

    @Test func `bytes in memory, which are complete immediately, are also decoded once`() async throws {
        try await PipelineFixture.open { fixture in
            let made = fixture.start { [specs] in
                try await $0.renditions(of: .bytes(PipelineFixture.photo), as: specs)
            }
            let renditions = try await made.value
            #expect(renditions.count == 3)
            #expect(fixture.codec.decodes.count == 1)
        }
    }

    @Test func `what memory has is not made again, and the same twice is made once`() async throws {
        try await PipelineFixture.open { fixture in
            let first = fixture.ask(ImageRequest(fixture.url("photo.jpg"), .fit(32, 32)))
            _ = try await first.value
            let twice = specs + [specs[1]]
            let made = fixture.start {
                try await $0.renditions(of: .url(fixture.url("photo.jpg")), as: twice)
            }
            let renditions = try await made.value
            #expect(renditions.count == 4)
            #expect(renditions[1].bytes == renditions[3].bytes)
            #expect(fixture.codec.decodes.values.map(\.count) == [1, 2])
        }
    }

    @Test func `no renditions are made of nothing asked`() async throws {
        try await PipelineFixture.open { fixture in
            let made = fixture.start { try await $0.renditions(of: .url(fixture.url("photo.jpg")), as: []) }
            let renditions = try await made.value
            #expect(renditions.isEmpty)
            #expect(fixture.origin.statistics.requests == 0)
        }
    }

    @Test func `a source that fails fails all, with one request`() async throws {
        try await PipelineFixture.open { fixture in
            try fixture.origin.answer(fixture.url("gone.jpg"), with: .status(404))
            let made = fixture.start { [specs] in
                try await $0.renditions(of: .url(fixture.url("gone.jpg")), as: specs)
            }
            let end = await code(of: made)
            #expect(end == "http_404")
            #expect(fixture.origin.statistics.requests == 1)
        }
    }

    @Test func `the load is reported as one, with a single request and a single decode`() async throws {
        try await PipelineFixture.open { fixture in
            let made = fixture.start { [specs] in
                try await $0.renditions(of: .url(fixture.url("photo.jpg")), as: specs)
            }
            _ = try await made.value
            let received = ByteCount(PipelineFixture.photo.count)
            #expect(
                fixture.kinds(of: 1) == [
                    .started, .requested(attempt: 1), .received(received), .decoding(pictures: 3),
                    .finished(.own),
                ]
            )
            let again = fixture.start { [specs] in
                try await $0.renditions(of: .url(fixture.url("photo.jpg")), as: specs)
            }
            _ = try await again.value
            #expect(fixture.kinds(of: 2) == [.started, .finished(.memory)])
        }
    }

    @Test func `what the store has is not decoded again, however long the store takes`() async throws {
        let store = HeldStore()
        try await PipelineFixture.open {
            $0.store = store
        } _: { fixture in
            _ = try await fixture.ask(ImageRequest(fixture.url("photo.jpg"), .fit(32, 32))).value
        }
        try await PipelineFixture.open {
            $0.store = store
        } _: { fixture in
            let body = try fixture.hold()
            let made = fixture.start { [specs] in
                try await $0.load(ImageRequest(fixture.url("photo.jpg")), as: specs)
            }
            fixture.signal(body)
            let results = try await made.value
            let renditions = try results.map { try $0.get() }
            #expect(renditions.map(\.size.width) == [32, 16, 64])
            #expect(renditions.map(\.cache) == [.hit, .miss, .miss])
            #expect(renditions.map(\.attempts) == [0, 1, 1])
            #expect(fixture.origin.statistics.requests == 1)
            #expect(fixture.codec.decodes.values.map(\.count) == [2])
            #expect(fixture.kinds(of: 1).last == .finished(.own))
        }
    }

    @Test func `a rendition that cannot be made fails alone`() async throws {
        // No WebP is that wide, and no box that narrow.
        let broken = [
            RenditionSpec(.stretch(17_000, 1), .webp), specs[0], RenditionSpec(.fit(-1, 10), .png), specs[1],
        ]
        try await PipelineFixture.open { fixture in
            let made = fixture.start {
                try await $0.load(ImageRequest(fixture.url("photo.jpg")), as: broken)
            }
            let results = try await made.value
            #expect(results.map(Self.problem) == [.encodeFailed, nil, .invalidRequest, nil])
            let failure = try #require(throws: CalotypeError.self) { try results[0].get() }
            #expect(failure.load?.attempts == 1 && failure.url == fixture.url("photo.jpg"))
            #expect(fixture.codec.decodes.count == 1)
            #expect(fixture.kinds(of: 1).last == .finished(.own))
            let strict = fixture.start {
                try await $0.renditions(of: .url(fixture.url("photo.jpg")), as: broken)
            }
            let end = await code(of: strict)
            #expect(end == "encode_failed")
        }
    }

    @Test func `a load that makes nothing fails as its first rendition does`() async throws {
        try await PipelineFixture.open { fixture in
            let specs = [RenditionSpec(.stretch(17_000, 1), .webp), RenditionSpec(.fit(-1, 10), .png)]
            let made = fixture.start { try await $0.load(ImageRequest(fixture.url("photo.jpg")), as: specs) }
            let end = await code(of: made)
            #expect(end == "encode_failed")
            #expect(fixture.kinds(of: 1).last == .failed(.encodeFailed))
        }
    }

    @Test func `cancelled, it stops the download, and nothing is decoded`() async throws {
        try await PipelineFixture.open { fixture in
            let body = try fixture.hold()
            let made = fixture.start { [specs] in
                try await $0.load(ImageRequest(fixture.url("photo.jpg")), as: specs)
            }
            fixture.cancel(made)
            let end = await code(of: made)
            #expect(end == "cancelled")
            #expect(fixture.codec.decodes.count == 0)
            #expect(fixture.kinds(of: 1).last == .cancelled)
            fixture.signal(body)
        }
    }

    @Test func `others still get one of its renditions when it is cancelled`() async throws {
        try await PipelineFixture.open { fixture in
            let body = try fixture.hold()
            let made = fixture.start { [specs] in
                try await $0.load(ImageRequest(fixture.url("photo.jpg")), as: specs)
            }
            let other = fixture.ask(ImageRequest(fixture.url("photo.jpg"), .fit(32, 32)))
            fixture.cancel(made)
            fixture.signal(body)
            let rendition = try await other.value
            #expect(rendition.size.width == 32)
            #expect(fixture.origin.statistics.requests == 1)
            // What only the cancelled load wanted is not made.
            #expect(fixture.codec.decodes.values.map(\.count) == [1])
        }
    }

    @Test func `a deadline ends the wait for all`() async throws {
        try await PipelineFixture.open { fixture in
            let body = try fixture.hold()
            var request = ImageRequest(fixture.url("photo.jpg"))
            request.deadline = ContinuousClock.now + .seconds(3600)
            let made = fixture.start { [request, specs] in try await $0.load(request, as: specs) }
            fixture.advance(by: .seconds(3600))
            let end = await code(of: made)
            #expect(end == "timeout_total")
            fixture.signal(body)
        }
    }

    private static func problem(_ result: Result<Rendition, CalotypeError>) -> ErrorCode? {
        switch result {
        case .success: nil
        case .failure(let failure): failure.code
        }
    }
}
