import CalotypeCore
import CalotypePlatform
import TaskFlow
import Testing

@testable import CalotypeCodec

@Suite(.timeLimit(.minutes(2)))
struct WebPDamageTests {
    @Test(arguments: WebPKind.allCases)
    func `every prefix is truncated, and gives a partial picture only on request`(
        _ kind: WebPKind
    ) async throws {
        let whole = try await encoded(kind, 40, 60)
        let facts = try EncodedSource.memory(whole).facts()
        let complete = try DecodedPlanes(webp: .memory(whole))
        var partial = 0
        for length in 0..<whole.count {
            let source = EncodedSource.memory(Array(whole.prefix(length)))
            #expect(throws: CalotypeError.self) { try source.facts() }
            // From here on as if the header had told of the whole. The last bytes may be none of the picture's.
            do {
                let shown = try DecodedPlanes(webp: source, facts: facts)
                #expect(length >= whole.count - 4 && shown.planes == complete.planes)
                continue
            } catch let error as CalotypeError {
                #expect(error.code == .truncatedImage || error.code == .corruptImage, "\(length)")
            }
            guard let shown = try? DecodedPlanes(webp: source, acceptsTruncated: true, facts: facts) else {
                continue
            }
            #expect(shown.isPartial)
            // The first rows are the picture's, the last ones grey.
            #expect(shown.planes[0].prefix(40) == complete.planes[0].prefix(40))
            let grey: UInt8 = shown.layout.model == .videoYCbCr ? 126 : 128
            #expect(shown.planes[0][shown.planes[0].count - 4] == grey)
            partial += 1
        }
        #expect(partial > 0)
    }

    @Test(arguments: WebPKind.allCases)
    func `changed bytes give an error or a picture`(_ kind: WebPKind) async throws {
        let whole = try await encoded(kind, 48, 36)
        var random = SplitMix64(seed: 3)
        for _ in 0..<700 {
            var bytes = whole
            bytes[.random(in: 0..<bytes.count, using: &random)] ^=
                1 << UInt8.random(in: 0..<8, using: &random)
            for acceptsTruncated in [false, true] {
                do {
                    _ = try DecodedPlanes(webp: .memory(bytes), acceptsTruncated: acceptsTruncated)
                } catch is CalotypeError {
                } catch is DecodedPlanes.Left {
                }
            }
        }
    }

    @Test func `a file that becomes shorter while it is read is truncated`() async throws {
        let whole = try await encoded(.lossy, 400, 300)
        try await withTemporaryFile(whole) { path in
            let source = try EncodedSource(.file(path: path))
            let facts = try source.facts()
            let cut = unsafe truncate(path, 9000)
            #expect(cut == 0)
            let error = #expect(throws: CalotypeError.self) {
                try DecodedPlanes(webp: source, facts: facts)
            }
            #expect(error?.code == .truncatedImage)
        }
    }

    private func encoded(_ kind: WebPKind, _ width: Int, _ height: Int) async throws -> [UInt8] {
        try await withReferenceCodec { codec in
            try await kind.encoded(gradient(width, height, hasAlpha: kind.hasAlpha), codec)
        }
    }
}
