import CalotypeCore
import Testing

@testable import CalotypeCodec

@Suite struct JPEGDecoderTests {
    /// Ways to store colour: 4:4:4, 4:2:2, 4:4:0, 4:2:0, 4:1:1, 4:1:0, and one that no camera writes.
    private static let samplings = [
        [(1, 1), (1, 1), (1, 1)], [(2, 1), (1, 1), (1, 1)], [(1, 2), (1, 1), (1, 1)],
        [(2, 2), (1, 1), (1, 1)],
        [(4, 1), (1, 1), (1, 1)], [(4, 2), (1, 1), (1, 1)], [(2, 2), (2, 1), (1, 2)],
    ]

    @Test(arguments: samplings)
    func `however colour is stored, the rows are what libvips decodes`(_ sampling: [(Int, Int)]) throws {
        for scans in [BlockJPEG.Scans.one, .each, .progressive(more: 2)] {
            var picture = BlockJPEG()
            picture.sampling = sampling
            picture.scans = scans
            let jpeg = picture.bytes
            let decoded = try DecodedJPEG(jpeg)
            #expect(decoded.size == PixelSize(width: 61, height: 43))
            #expect(decoded.layout.model == .rgb)
            #expect(!decoded.isPartial)
            #expect(largestDifference(decoded.samples, try libvipsRGB(jpeg)) <= 1, "\(scans)")
        }
    }

    @Test(arguments: 1...8)
    func `a scaled picture is the mean of what libvips decodes`(_ scale: Int) throws {
        for (isProgressive, subsampling) in [(false, EncodeOptions.Subsampling.half), (true, .none)] {
            let size = PixelSize(width: 203, height: 117)
            let jpeg = try libvipsJPEG(
                hills(203, 117),
                quality: 95,
                isProgressive: isProgressive,
                subsampling: subsampling
            )
            let decoded = try DecodedJPEG(jpeg, scale: scale)
            let plane = try #require(decoded.layout.planes.first)
            #expect(decoded.layout.planes.count == 1)
            #expect(plane.width == 203 * Double(scale) / 8)
            #expect(plane.height == 117 * Double(scale) / 8)
            #expect(plane.size == PixelSize(width: (203 * scale + 7) / 8, height: (117 * scale + 7) / 8))
            let reference = averaged(try libvipsRGB(jpeg), size, scale: scale)
            #expect(meanDifference(decoded.samples, reference) < 1.5)
        }
    }

    @Test(arguments: [1, 2, 7])
    func `restart markers are respected`(_ restart: Int) throws {
        for scans in [BlockJPEG.Scans.one, .each, .progressive(more: 0)] {
            var picture = BlockJPEG()
            picture.scans = scans
            let whole = try DecodedJPEG(picture.bytes)
            picture.restart = restart
            #expect(picture.bytes.contains(0xD0))
            #expect(try DecodedJPEG(picture.bytes).samples == whole.samples)
        }
    }

    @Test func `grey gives one sample a pixel`() throws {
        for factors in [(1, 1), (2, 2)] {
            var picture = BlockJPEG()
            picture.sampling = [factors]
            picture.scans = .each
            let decoded = try DecodedJPEG(picture.bytes)
            #expect(decoded.layout.model == .grey)
            #expect(decoded.samples.count == 61 * 43)
            #expect(decoded.rgb == (try libvipsRGB(picture.bytes)))
        }
    }

    @Test func `an Adobe marker and the names of the components define the colour space`() throws {
        var picture = BlockJPEG(width: 8, height: 8)
        picture.sampling = [(1, 1), (1, 1), (1, 1)]
        picture.level = { component, _, _ in [200, 90, 30][component] }
        func colour(_ adobe: UInt8?, _ names: String) throws -> [UInt8] {
            picture.adobe = adobe
            picture.names = Array(names.utf8)
            let decoded = try DecodedJPEG(picture.bytes)
            #expect(decoded.samples == (try libvipsRGB(picture.bytes)))
            return Array(decoded.samples.prefix(3))
        }
        #expect(try colour(0, "\u{1}\u{2}\u{3}") == [200, 90, 30])
        #expect(try colour(nil, "RGB") == [200, 90, 30])
        let converted = try colour(1, "\u{1}\u{2}\u{3}")
        #expect(converted != [200, 90, 30])
        #expect(try colour(nil, "\u{1}\u{2}\u{3}") == converted)
    }

    @Test func `arithmetic codes are decoded`() throws {
        let jpeg = ArithmeticJPEG.bytes
        let decoded = try DecodedJPEG(jpeg)
        #expect(decoded.size == PixelSize(width: 40, height: 32))
        #expect(largestDifference(decoded.samples, try libvipsRGB(jpeg)) <= 1)
    }

    @Test(arguments: [false, true])
    func `a file gives the same rows as its bytes`(_ isProgressive: Bool) async throws {
        let plain = try libvipsJPEG(noise(300, 200), isProgressive: isProgressive)
        // Segments beyond a block of the file are skipped without being read; read, they would end the picture.
        let comment = (0..<32_500).flatMap { _ in [0xFF, 0xD9] as [UInt8] }
        let jpeg = (0..<3).reduce(plain) { jpeg, _ in HandMade.jpeg(jpeg, marker: 0xFE, segment: comment) }
        #expect(jpeg.count > 200_000)
        try await withTemporaryFile(jpeg) { path in
            let file = try EncodedSource(.file(path: path))
            for scale in [1, 3, 8] {
                let decoded = try DecodedJPEG(file, scale: scale)
                #expect(decoded.samples == (try DecodedJPEG(plain, scale: scale).samples))
                #expect(!decoded.isPartial)
            }
        }
    }

    @Test func `scans are gathered in short steps, and their number is bounded`() throws {
        let large = try libvipsJPEG(hills(1100, 1000), isProgressive: true)
        // At least ten scans of more than a megapixel, a quarter of it each step; some are not needed for a small one.
        #expect(try DecodedJPEG(large, scale: 8).silentSteps >= 20)
        #expect(try DecodedJPEG(large, scale: 1).silentSteps >= 10)
        #expect(try DecodedJPEG(libvipsJPEG(hills(1100, 1000)), scale: 1).silentSteps == 0)
        var picture = BlockJPEG()
        picture.scans = .progressive(more: 99)
        #expect(try DecodedJPEG(picture.bytes).silentSteps > 0)
        picture.scans = .progressive(more: 100)
        #expect(throws: CalotypeError.self) { try DecodedJPEG(picture.bytes) }
    }

    @Test func `the estimated memory includes all coefficients only if they are held`() throws {
        var picture = BlockJPEG(width: 40, height: 30, exaggeration: 100)
        let coefficients = 4000 * 3000 * 3 / 2 * 2
        for scale in 1...8 {
            picture.scans = .one
            let baseline = try jpegSource(.memory(picture.bytes)).decoderBytes(scale: scale)
            #expect((100_000..<1_200_000).contains(baseline))
            for scans in [BlockJPEG.Scans.each, .progressive(more: 1)] {
                picture.scans = scans
                let several = try jpegSource(.memory(picture.bytes)).decoderBytes(scale: scale)
                #expect((coefficients..<coefficients + 1_500_000).contains(several))
            }
        }
    }
}
