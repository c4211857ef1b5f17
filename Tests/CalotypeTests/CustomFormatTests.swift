import CalotypeCodec
import CalotypeCore
import CalotypeStore
import CalotypeTestKit
import Testing

@testable import Calotype

/// Pictures in a format that only a decoder of the program reads.
@Suite(.timeLimit(.minutes(1)))
struct CustomFormatTests {
    /// Reads pictures of one byte, which is the level of grey of four by four pixels.
    private struct Grey: ImageDecoding {
        let identifier: String
        let signatures = [Array("GREY".utf8)]
        let runs: Recorder<String>

        func facts(ofPrefix prefix: [UInt8]) -> ImageFacts? {
            ImageFacts(format: .custom, storedSize: PixelSize(width: 4, height: 4))
        }

        func bitmap(of bytes: [UInt8]) -> Bitmap {
            runs.record(identifier)
            let rgba = (0..<16).flatMap { _ in [bytes[4], bytes[4], bytes[4], 255] as [UInt8] }
            return Bitmap(size: PixelSize(width: 4, height: 4), rgba: rgba)
        }
    }

    private static let picture = Array("GREY".utf8) + [200] + Array(repeating: 0, count: 100)

    /// Requests the picture with a pipeline that has a decoder of this identifier.
    private func load(
        _ identifier: String?,
        _ store: HeldStore,
        _ runs: Recorder<String>
    ) async throws -> String? {
        let outcome = Recorder<String?>()
        try await PipelineFixture.open {
            $0.store = store
            if let identifier { $0.codec.decoders = [Grey(identifier: identifier, runs: runs)] }
        } _: { fixture in
            let fresh: KeyValuePairs = ["Cache-Control": "max-age=3600"]
            try fixture.origin.answer(
                fixture.url("photo.jpg"),
                with: DocumentFixture.photo(fresh, Self.picture)
            )
            let task = fixture.ask(fixture.request())
            outcome.record(await code(of: task))
            guard let rendition = try? await task.value else { return }
            #expect(rendition.source.format == .custom)
            #expect(rendition.source.customDecoder == identifier)
            #expect(rendition.size == PixelSize(width: 4, height: 4))
        }
        return outcome.values.first ?? nil
    }

    @Test func `a stored result is used as long as its decoder is registered`() async throws {
        let (store, runs) = (HeldStore(), Recorder<String>())
        #expect(try await load(nil, store, runs) == "unsupported_format")
        for identifier in ["grey/1", "grey/1", "grey/2", "grey/2", "grey/1"] {
            #expect(try await load(identifier, store, runs) == nil)
        }
        #expect(runs.values == ["grey/1", "grey/2", "grey/1"])
        #expect(try await load(nil, store, runs) == "unsupported_format")
    }
}
