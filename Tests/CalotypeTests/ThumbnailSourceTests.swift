import CalotypeCore
import CalotypeOrigin
import CalotypeTestKit
import Foundation
import TaskFlow
import Testing

@testable import Calotype

@Suite(.timeLimit(.minutes(1)))
struct ThumbnailSourceTests {
    private struct Metadata: Decodable {
        let width: Int
        let height: Int
    }

    @Test func `picture and document are fetched at the same time`() async throws {
        let (pictures, documents) = (ScriptedPictures(), ScriptedPictures())
        async let parts = fetch(7, pictures, documents)
        try await pictures.begun.wait(count: 1)
        try await documents.begun.wait(count: 1)
        documents.finish("7/metadata")
        pictures.finish("7")
        let (bytes, size) = try await parts
        #expect(bytes == Array("7".utf8))
        #expect(size == PixelSize(width: 10, height: 20))
    }

    @Test(arguments: ["picture", "document"])
    func `when one fails, the other is cancelled`(_ failing: String) async throws {
        let (pictures, documents) = (ScriptedPictures(), ScriptedPictures())
        async let code = code { try await fetch(7, pictures, documents) }
        try await pictures.begun.wait(count: 1)
        try await documents.begun.wait(count: 1)
        if failing == "picture" { pictures.fail("7") } else { documents.fail("7/metadata") }
        let found = await code
        #expect(found == .http(status: 404))
        #expect(pictures.cancelled.count == (failing == "picture" ? 0 : 1))
        #expect(documents.cancelled.count == (failing == "picture" ? 1 : 0))
        #expect(pictures.runningCount + documents.runningCount == 0)
    }

    @Test func `a document that cannot be read cancels the picture, and says why`() async throws {
        let (pictures, documents) = (ScriptedPictures(), ScriptedPictures())
        async let failure = error {
            try await fetch(7, pictures, documents) { _ in throw Unreadable() }
        }
        try await pictures.begun.wait(count: 1)
        try await documents.begun.wait(count: 1)
        documents.finish("7/metadata")
        let found = await failure as? CalotypeError
        #expect(found?.code == .invalidDocument)
        #expect(found?.cause is Unreadable)
        #expect(pictures.cancelled.count == 1)
    }

    @Test func `cancelled, both are cancelled`() async throws {
        let (pictures, documents) = (ScriptedPictures(), ScriptedPictures())
        let caller = Task { try await fetch(7, pictures, documents).size }
        try await pictures.begun.wait(count: 1)
        try await documents.begun.wait(count: 1)
        caller.cancel()
        await #expect(throws: CancellationError.self) { try await caller.value }
        #expect(pictures.cancelled.count == 1)
        #expect(documents.cancelled.count == 1)
    }

    @Test func `with a pipeline: thumbnails have the sizes that their documents say`() async throws {
        try await Gallery.open { origin, pipeline in
            let source = source(origin)
            var sizes: [Int: PixelSize] = [:]
            for await result in pipeline.thumbnails(for: 1...6, from: source, limit: 3) {
                sizes[result.input] = try result.result.get().size
            }
            for id in 1...6 {
                let document = ImageRequest(origin.thumbnailMetadataURL(id))
                let bytes = try await pipeline.data(for: document, check: .none).bytes
                let wanted = try Self.size(bytes)
                let size = try #require(sizes[id])
                #expect(size.width <= wanted.width && size.height <= wanted.height)
                #expect(size.width == wanted.width || size.height == wanted.height)
            }
        }
    }

    @Test func `with a pipeline: an id that is not there fails, and so does a document that is a picture`()
        async throws
    {
        try await Gallery.open { origin, pipeline in
            let missing = await code { try await pipeline.thumbnail(for: 5_000, from: source(origin)) }
            #expect(missing == .http(status: 404))
            let picture = origin.url("/pictures/\(Gallery.photo)")
            let wrong = ThumbnailSource<Int>(urls: { _ in (picture, picture) }, size: Self.size)
            let failure = await error { try await pipeline.thumbnail(for: 1, from: wrong) } as? CalotypeError
            #expect(failure?.code == .invalidDocument)
            #expect(failure?.url == picture)
        }
    }

    @Test func `with a pipeline: a document that is too long or asks for no size is refused`() async throws {
        try await Gallery.open { origin, pipeline in
            var short = source(origin)
            short.documentBytes = ByteCount(8)
            let long = await code { try await pipeline.thumbnail(for: 1, from: short) }
            #expect(long == .tooManyBytes)
            let flat = ThumbnailSource<Int>(
                urls: { (origin.thumbnailURL($0), origin.thumbnailMetadataURL($0)) },
                size: { _ in PixelSize(width: 0, height: 10) }
            )
            let failure = await error { try await pipeline.thumbnail(for: 1, from: flat) } as? CalotypeError
            #expect(failure?.code == .invalidDocument)
            #expect(failure?.url == origin.thumbnailMetadataURL(1))
        }
    }

    private static func size(_ document: [UInt8]) throws -> PixelSize {
        let metadata = try JSONDecoder().decode(Metadata.self, from: Data(document))
        return PixelSize(width: metadata.width, height: metadata.height)
    }

    private func source(_ origin: Origin) -> ThumbnailSource<Int> {
        ThumbnailSource(
            urls: { (origin.thumbnailURL($0), origin.thumbnailMetadataURL($0)) },
            size: Self.size
        )
    }

    private func fetch(
        _ id: Int,
        _ pictures: ScriptedPictures,
        _ documents: ScriptedPictures,
        size: @escaping @Sendable ([UInt8]) throws -> PixelSize = { _ in PixelSize(width: 10, height: 20) }
    ) async throws -> (picture: [UInt8], size: PixelSize) {
        let source = ThumbnailSource<Int>(urls: { ("\($0)", "\($0)/metadata") }, size: size)
        return try await source.fetch(
            id,
            picture: { Array(try await pictures.load($0).utf8) },
            document: { Array(try await documents.load($0).utf8) }
        )
    }

    private func error<Output>(_ body: () async throws -> Output) async -> (any Error)? {
        do {
            _ = try await body()
            return nil
        } catch {
            return error
        }
    }

    private func code<Output>(_ body: () async throws -> Output) async -> ErrorCode? {
        (await error(body) as? CalotypeError)?.code
    }
}

private struct Unreadable: Error {}
