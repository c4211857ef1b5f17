import CalotypeCore
import TaskFlow
import Testing

@testable import CalotypeCodec

@Suite struct JPEGDamageTests {
    private static let damage: Set<ErrorCode> = [.truncatedImage, .corruptImage, .unsupportedFormat]

    /// Small files of each kind; all have detail in each block.
    private static func pictures() throws -> [[UInt8]] {
        var restarts = BlockJPEG()
        restarts.restart = 2
        var separate = BlockJPEG()
        separate.scans = .each
        return [
            try libvipsJPEG(noise(60, 50)), try libvipsJPEG(noise(60, 50), isProgressive: true),
            restarts.bytes, separate.bytes, ArithmeticJPEG.bytes,
        ]
    }

    @Test func `every prefix of a file is an error, and on request a partial picture`() throws {
        for jpeg in try Self.pictures() {
            let whole = try DecodedJPEG(jpeg)
            let header = try Self.headerEnd(jpeg)
            for count in 0..<jpeg.count {
                let prefix = Array(jpeg.prefix(count))
                let found = Self.code { try DecodedJPEG(prefix) }
                #expect(found.map(Self.damage.contains) == true, "\(count) of \(jpeg.count) bytes")
                guard count > header else { continue }
                let partial = try DecodedJPEG(prefix, acceptsTruncated: true)
                #expect(partial.isPartial)
                #expect(partial.samples.count == whole.samples.count)
            }
        }
    }

    @Test func `a cut file reads as cut, wherever it is and at whatever scale it is decoded`() async throws {
        for isProgressive in [false, true] {
            let jpeg = try libvipsJPEG(noise(400, 300), isProgressive: isProgressive)
            for count in [jpeg.count / 2, jpeg.count * 9 / 10, jpeg.count - 2] {
                let cut = Array(jpeg.prefix(count))
                for scale in [1, 4, 8] {
                    #expect(Self.code { try DecodedJPEG(cut, scale: scale) } == .truncatedImage)
                }
                try await withTemporaryFile(cut) { path in
                    let file = try EncodedSource(.file(path: path))
                    #expect(Self.code { try DecodedJPEG(file) } == .truncatedImage)
                    let partial = try DecodedJPEG(file, acceptsTruncated: true)
                    #expect(partial.isPartial)
                    #expect(partial.samples == (try DecodedJPEG(cut, acceptsTruncated: true).samples))
                }
            }
        }
    }

    @Test func `the rows before a cut are those of the whole picture`() throws {
        let jpeg = try libvipsJPEG(noise(200, 200))
        let whole = try DecodedJPEG(jpeg).samples
        let partial = try DecodedJPEG(Array(jpeg.prefix(jpeg.count / 2)), acceptsTruncated: true).samples
        let third = whole.count / 3
        #expect(partial.prefix(third) == whole.prefix(third))
        #expect(partial.suffix(third) != whole.suffix(third))
    }

    @Test(arguments: [false, true])
    func `data that ends before the picture does is an error, though an end marker follows`(
        _ isProgressive: Bool
    ) throws {
        let jpeg = try libvipsJPEG(noise(200, 200), isProgressive: isProgressive)
        for count in [jpeg.count / 2, jpeg.count - 20] {
            let ended = Array(jpeg.prefix(count)) + [0xFF, 0xD9]
            #expect(Self.code { try DecodedJPEG(ended) } == .truncatedImage)
            let partial = try DecodedJPEG(ended, acceptsTruncated: true)
            #expect(partial.isPartial)
        }
    }

    @Test(arguments: [false, true])
    func `a file without its end marker is an error, though all pixels are there`(
        _ isProgressive: Bool
    ) throws {
        let jpeg = try libvipsJPEG(noise(60, 50), isProgressive: isProgressive)
        let padded = Array(jpeg.dropLast(2)) + [UInt8](repeating: 0, count: 5000)
        #expect(Self.code { try DecodedJPEG(padded) } == .truncatedImage)
        let partial = try DecodedJPEG(padded, acceptsTruncated: true)
        #expect(partial.isPartial)
        #expect(partial.samples == (try DecodedJPEG(jpeg).samples))
    }

    @Test func `a missing separate scan is an error`() throws {
        var picture = BlockJPEG()
        picture.scans = .each
        let jpeg = picture.bytes
        let lastScan = try #require(jpeg.indices.dropLast().last { jpeg[$0] == 0xFF && jpeg[$0 + 1] == 0xDA })
        let cut = Array(jpeg.prefix(lastScan)) + [0xFF, 0xD9]
        #expect(Self.code { try DecodedJPEG(cut) } == .truncatedImage)
        #expect(try DecodedJPEG(cut, acceptsTruncated: true).isPartial)
    }

    @Test func `what follows the picture does no harm`() throws {
        let jpeg = try libvipsJPEG(noise(60, 50))
        let whole = try DecodedJPEG(jpeg).samples
        let trailed = jpeg + [UInt8](repeating: 0, count: 5000) + Array("trailer".utf8)
        #expect(try DecodedJPEG(trailed).samples == whole)
        let padded = Array(jpeg.dropLast(2)) + [UInt8](repeating: 0, count: 100) + [0xFF, 0xD9]
        #expect(try DecodedJPEG(padded).samples == whole)
        let scan = try #require(jpeg.indices.dropLast().last { jpeg[$0] == 0xFF && jpeg[$0 + 1] == 0xDA })
        #expect(try DecodedJPEG(jpeg.dropLast(2) + jpeg[scan...]).samples == whole)
    }

    @Test func `changed bytes give an error or a picture`() throws {
        var random = SplitMix64(seed: 7)
        for jpeg in try Self.pictures() {
            for round in 0..<600 {
                var bytes = jpeg
                let place = Int.random(in: 0..<bytes.count, using: &random)
                bytes[place] ^= .random(in: 1...255, using: &random)
                // A size that a flip made large would only take time.
                guard let facts = try? ImageProbe.facts(fromPrefix: bytes, isComplete: true),
                    facts.storedSize.pixelCount < 1_000_000
                else { continue }
                let scale = round % 8 + 1
                let found = Self.code {
                    try DecodedJPEG(bytes, scale: scale, acceptsTruncated: round % 3 == 0)
                }
                #expect(found.map(Self.damage.contains) != false, "byte \(place): \(found?.rawValue ?? "")")
            }
        }
    }

    @Test func `after a failure there are no more rows`() throws {
        let jpeg = try libvipsJPEG(noise(200, 200))
        let source = try jpegSource(.memory(Array(jpeg.prefix(jpeg.count / 2))))
        let decoder = try source.decoder(scale: 8, acceptsTruncated: false, isCancelled: { false })
        #expect(throws: CalotypeError.self) { while try decoder.next({ _, _ in }) {} }
        #expect(throws: CalotypeError.self) { try decoder.next { _, _ in } }
    }

    /// Where the first scan begins.
    private static func headerEnd(_ jpeg: [UInt8]) throws -> Int {
        let scan = try #require(jpeg.indices.dropLast().first { jpeg[$0] == 0xFF && jpeg[$0 + 1] == 0xDA })
        return scan + 2 + Int(jpeg[scan + 3])
    }

    /// The code of the error that `body` throws; that of a file left to libvips stands for its own.
    private static func code(_ body: () throws -> DecodedJPEG) -> ErrorCode? {
        do {
            _ = try body()
            return nil
        } catch is LeftJPEG {
            return .unsupportedFormat
        } catch {
            return (error as? CalotypeError)?.code
        }
    }
}
