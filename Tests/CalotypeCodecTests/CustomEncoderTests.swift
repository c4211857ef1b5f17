import CalotypeCore
import CalotypeTestKit
import TaskFlow
import Testing

@testable import CalotypeCodec

/// Encoders of the program, for formats that Calotype does not write.
@Suite(.timeLimit(.minutes(1)))
struct CustomEncoderTests {
    /// An encoder with a closure.
    private struct Encoder: ImageEncoding {
        var identifier = "test"
        let body: @Sendable (Bitmap) throws -> [UInt8]

        func encode(_ bitmap: Bitmap) throws -> [UInt8] { try body(bitmap) }
    }

    private struct Unwell: Error, CustomStringConvertible {
        var description: String { "no ink" }
    }

    /// Writes width, height and the first pixel.
    private static let brief = Encoder { bitmap in
        [UInt8(bitmap.size.width), UInt8(bitmap.size.height)] + bitmap.rgba.prefix(4)
    }

    private static func green(_ width: Int, _ height: Int) -> Bitmap {
        let rgba = (0..<width * height).flatMap { _ in [0, 200, 0, 255] as [UInt8] }
        return Bitmap(size: PixelSize(width: width, height: height), rgba: rgba)
    }

    @Test func `an encoder gets the scaled and processed pixels, from the decode that all results share`()
        async throws
    {
        try await withEachCodec { codec in
            let source = CodecInput.bytes(try await codec.encode(Self.green(64, 48), as: .png))
            var tinted = Transform.fit(16, 16)
            tinted.processors = [.tint(Colour(red: 255, green: 0, blue: 0), strength: 1)]
            let specs = [
                (Transform.fit(32, 32), OutputFormat.encoded(by: Self.brief)),
                (tinted, .encoded(by: Self.brief)),
                (.fit(32, 32), .png),
            ].map { PictureSpec.encoded(RenditionSpec($0, $1)) }
            let made = try await codec.pictures(of: source) { specs }.map { try $0.get() }
            #expect(made.map(\.format) == [.custom, .custom, .png])
            #expect(made[0].bytes == [32, 24, 0, 200, 0, 255])
            #expect(made[1].bytes == [16, 12, 255, 0, 0, 255])
            #expect(made[0].size == PixelSize(width: 32, height: 24))
        }
    }

    @Test func `pixels are encoded, too`() async throws {
        try await withEachCodec { codec in
            let bytes = try await codec.encode(Self.green(3, 2), as: .encoded(by: Self.brief))
            #expect(bytes == [3, 2, 0, 200, 0, 255])
        }
    }

    @Test func `what an encoder does wrong fails its own result, with its name`() async throws {
        let failures: [(Encoder, ErrorCode, String)] = [
            (Encoder { _ in throw Unwell() }, .encodeFailed, "the encoder 'test' failed: no ink"),
            // Nobody has cancelled it.
            (Encoder { _ in throw CancellationError() }, .encodeFailed, "CancellationError"),
            (Encoder { _ in [] }, .encodeFailed, "it returned no bytes"),
            (
                Encoder { _ in throw CalotypeError(.emptyResult, "mine", stage: .encode) }, .emptyResult,
                "mine"
            ),
            (Encoder(identifier: "") { _ in [1] }, .invalidRequest, "0 bytes, which must be 1 to 500"),
        ]
        try await withImageCodec { codec in
            let source = CodecInput.bytes(try await codec.encode(Self.green(8, 8), as: .png))
            for (encoder, code, words) in failures {
                let specs = [OutputFormat.encoded(by: encoder), .png].map {
                    PictureSpec.encoded(RenditionSpec(.none, $0))
                }
                let results = try await codec.pictures(of: source) { specs }
                #expect(throws: Never.self) { try results[1].get() }
                guard case .failure(let error) = results[0] else {
                    Issue.record("no failure: \(words)")
                    continue
                }
                #expect(error.code == code)
                #expect(error.message.contains(words), "\(error.message)")
            }
        }
    }

    @Test func `an encoder keeps no metadata and no limit of bytes, and says so`() async throws {
        try await withImageCodec { codec in
            let source = CodecInput.bytes(try await codec.encode(Self.green(8, 8), as: .png))
            var (kept, small) = (Transform.none, Transform.none)
            kept.edits.kept = .copyright
            small.edits.mostBytes = .kibibytes(1)
            for (transform, words) in [(kept, "metadata"), (small, "maximum number of bytes")] {
                let spec = PictureSpec.encoded(RenditionSpec(transform, .encoded(by: Self.brief)))
                let result = try #require(try await codec.pictures(of: source) { [spec] }.first)
                guard case .failure(let error) = result else {
                    Issue.record("no failure: \(words)")
                    continue
                }
                #expect(error.code == .invalidRequest)
                #expect(error.message.contains(words), "\(error.message)")
            }
        }
    }

    @Test func `a cancelled encode ends with the cancellation`() async throws {
        try await withImageCodec { codec in
            let source = try await codec.encode(Self.green(8, 8), as: .png)
            let encoder = Encoder { _ in
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                try Task.checkCancellation()
                return [1]
            }
            let spec = PictureSpec.encoded(RenditionSpec(.none, .encoded(by: encoder)))
            let load = Task { try await codec.pictures(of: .bytes(source)) { [spec] } }
            await #expect(throws: CancellationError.self) { try await load.value }
            #expect(codec.load == CodecLoad(running: 0, waiting: 0, bytes: ByteCount(0)))
        }
    }
}
