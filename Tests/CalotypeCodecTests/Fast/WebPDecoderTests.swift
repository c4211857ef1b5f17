import CalotypeCore
import Testing

@testable import CalotypeCodec

@Suite(.timeLimit(.minutes(1)))
struct WebPDecoderTests {
    private static let sizes = [(1, 1), (1, 7), (2, 2), (3, 5), (16, 16), (17, 33), (129, 31), (150, 201)]

    @Test(arguments: WebPKind.allCases)
    func `the pixels are those that libvips gives`(_ kind: WebPKind) async throws {
        try await withReferenceCodec { codec in
            for (width, height) in Self.sizes {
                let bytes = try await kind.encoded(gradient(width, height, hasAlpha: kind.hasAlpha), codec)
                let decoded = try DecodedPlanes(webp: .memory(bytes))
                let wanted = try await codec.bitmap(of: .bytes(bytes))
                // Between the samples of Cb and Cr libwebp rounds more than once.
                let most = decoded.layout.model == .videoYCbCr ? 2 : 0
                #expect(decoded.bitmap.difference(wanted) <= most, "\(width)x\(height)")
                #expect(!decoded.isPartial)
            }
        }
    }

    @Test func `a lossy picture without alpha is given as planes, the others as they are`() async throws {
        try await withReferenceCodec { codec in
            for kind in WebPKind.allCases {
                let bytes = try await kind.encoded(gradient(7, 5, hasAlpha: kind.hasAlpha), codec)
                let decoded = try DecodedPlanes(webp: .memory(bytes))
                let models: [WebPKind: SampleLayout.Model] = [.lossy: .videoYCbCr, .lossless: .rgb]
                #expect(decoded.layout.model == models[kind] ?? .rgba)
                guard kind == .lossy else { continue }
                #expect(decoded.layout.planes.map(\.size.width) == [7, 4, 4])
                #expect(decoded.layout.planes.map(\.size.height) == [5, 3, 3])
                #expect(decoded.layout.planes.map(\.width) == [7, 3.5, 3.5])
                #expect(decoded.layout.planes.map(\.height) == [5, 2.5, 2.5])
            }
        }
    }

    @Test(arguments: WebPKind.allCases)
    func `the same rows come out of a file as out of memory`(_ kind: WebPKind) async throws {
        try await withReferenceCodec { codec in
            let picture = noise(700, 400)
            let bytes = try await kind.encoded(picture, codec)
            try await withTemporaryFile(bytes) { path in
                let file = try DecodedPlanes(webp: EncodedSource(.file(path: path)))
                #expect(try file.planes == DecodedPlanes(webp: .memory(bytes)).planes)
            }
        }
    }

    @Test(arguments: [WebPKind.lossy, .lossless])
    func `a large picture is decoded in many steps`(_ kind: WebPKind) async throws {
        let size = PixelSize(width: 1500, height: 1000)
        let bytes = try await withReferenceCodec { codec in
            try await kind.encoded(noise(size.width, size.height), codec)
        }
        let source = EncodedSource.memory(bytes)
        guard case .taken(let webp) = try WebPSource.verdict(source, try source.facts()) else {
            Issue.record("it is not taken")
            return
        }
        let decoder = try webp.decoder(scale: 8, acceptsTruncated: false, isCancelled: { false })
        var (steps, most, more) = (0, 0, true)
        while more {
            var rows = 0
            more = try decoder.next { plane, _ in rows += plane == 0 ? 1 : 0 }
            steps += 1
            most = max(most, rows)
        }
        #expect(steps >= 8)
        #expect(most <= 128 << 10 / size.width)
    }

    @Test func `where pixels are averaged the edges of blocks are not smoothed`() async throws {
        let bytes = try await withReferenceCodec { codec in
            try await codec.encode(noise(160, 120), as: .webp(quality: 10))
        }
        let source = EncodedSource.memory(bytes)
        guard case .taken(let webp) = try WebPSource.verdict(source, try source.facts()) else {
            Issue.record("it is not taken")
            return
        }
        let planes = try [webp, webp.forAveraging].map {
            try DecodedPlanes($0.decoder(scale: 8, acceptsTruncated: false, isCancelled: { false })).planes
        }
        #expect(planes[0] != planes[1])
        let differences = zip(planes[0][0], planes[1][0]).map { abs(Int($0) - Int($1)) }
        #expect(differences.reduce(0, +) < 12 * differences.count)
    }

    @Test func `a profile is found, and one that is too large or out of place leaves the picture to libvips`()
        async throws
    {
        let plain = try await withReferenceCodec { codec in
            try await WebPKind.lossy.encoded(gradient(40, 30), codec)
        }
        let profile = HandMade.profile(HandMade.displayP3)
        let size = PixelSize(width: 40, height: 30)
        let right = HandMade.webp(plain, size, flags: 0x20, before: [("ICCP", profile)])
        #expect(try verdict(right).profile == profile)
        #expect(try verdict(plain).profile == [])
        let odd = [
            HandMade.webp(plain, size, flags: 0x20, before: [], after: [("ICCP", profile)]),
            HandMade.webp(plain, size, flags: 0, before: [("ICCP", profile)]),
            HandMade.webp(plain, size, flags: 0x20, before: [("ICCP", .init(repeating: 0, count: 5 << 20))]),
            HandMade.webp(plain, size, flags: 0, before: [("ALPH", [0] + .init(repeating: 9, count: 1200))]),
            HandMade.webp(plain, size, flags: 0, before: .init(repeating: ("JUNK", [1]), count: 50)),
            HandMade.webp(plain, size, flags: 2, before: [("ANIM", [0, 0, 0, 0, 0, 0])]),
            HandMade.webp(plain, PixelSize(width: 41, height: 30), flags: 0, before: []),
        ]
        for bytes in odd { #expect(throws: DecodedPlanes.Left.self) { try verdict(bytes) } }
        let junk = HandMade.webp(plain, size, flags: 0, before: .init(repeating: ("JUNK", [1]), count: 3))
        let same = try DecodedPlanes(webp: .memory(junk)).planes == DecodedPlanes(webp: .memory(plain)).planes
        #expect(same)
    }

    /// What the fast path says of `bytes`, which it has to take.
    private func verdict(_ bytes: [UInt8]) throws -> any FastSource {
        let source = EncodedSource.memory(bytes)
        let verdict = try WebPSource.verdict(source, try source.facts())
        guard case .taken(let webp) = verdict else { throw DecodedPlanes.Left(verdict: "\(verdict)") }
        return webp
    }
}
