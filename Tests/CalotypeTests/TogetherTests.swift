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
        try await Studio.open { studio in
            let made = studio.start { [specs] in
                try await $0.renditions(of: .url(studio.url("photo.jpg")), as: specs)
            }
            let renditions = try await made.value
            #expect(renditions.map(\.format) == [.jpeg, .png, .jpeg])
            #expect(renditions.map(\.size.width) == [32, 16, 64])
            #expect(renditions[2].isVerbatim)
            #expect(studio.origin.statistics.requests == 1)
            #expect(studio.codec.decodes.values.map(\.count) == [3])
        }
    }

    @Test func `bytes at hand, which are complete at once, are decoded once too`() async throws {
        try await Studio.open { studio in
            let made = studio.start { [specs] in try await $0.renditions(of: .bytes(Studio.photo), as: specs)
            }
            let renditions = try await made.value
            #expect(renditions.count == 3)
            #expect(studio.codec.decodes.count == 1)
        }
    }

    @Test func `what memory has is not made again, and the same twice is made once`() async throws {
        try await Studio.open { studio in
            let first = studio.ask(ImageRequest(studio.url("photo.jpg"), .fit(32, 32)))
            _ = try await first.value
            let twice = specs + [specs[1]]
            let made = studio.start { try await $0.renditions(of: .url(studio.url("photo.jpg")), as: twice) }
            let renditions = try await made.value
            #expect(renditions.count == 4)
            #expect(renditions[1].bytes == renditions[3].bytes)
            #expect(studio.codec.decodes.values.map(\.count) == [1, 2])
        }
    }

    @Test func `no renditions are made of nothing asked`() async throws {
        try await Studio.open { studio in
            let made = studio.start { try await $0.renditions(of: .url(studio.url("photo.jpg")), as: []) }
            let renditions = try await made.value
            #expect(renditions.isEmpty)
            #expect(studio.origin.statistics.requests == 0)
        }
    }

    @Test func `a source that fails fails all, with one request`() async throws {
        try await Studio.open { studio in
            try studio.origin.answer(studio.url("gone.jpg"), with: .status(404))
            let made = studio.start { [specs] in
                try await $0.renditions(of: .url(studio.url("gone.jpg")), as: specs)
            }
            let end = await code(of: made)
            #expect(end == "http_404")
            #expect(studio.origin.statistics.requests == 1)
        }
    }
}
