import CalotypeCore
import TaskFlow
import Testing

@testable import CalotypeCodec

@Suite(.timeLimit(.minutes(1)))
struct PreviewTests {
    private static let progressive: EncodeOptions = {
        var options = EncodeOptions()
        options.isProgressive = true
        return options
    }()

    @Test func `with each scan a preview comes closer to the final picture`() async throws {
        try await withEachCodec { codec in
            let jpeg = try await codec.encode(weave(160, 120), as: .jpeg, options: Self.progressive)
            let final = try await codec.bitmap(of: .bytes(jpeg))
            var distances: [Double] = []
            for end in scanEnds(jpeg) {
                let preview = try #require(try await codec.preview(of: Array(jpeg[..<(end + 2)])))
                #expect(preview.size == final.size)
                distances.append(distance(preview, final))
            }
            #expect(distances.count >= 6)
            #expect(zip(distances, distances.dropFirst()).allSatisfy { $0 > $1 })
            #expect(distances.last == 0)
        }
    }

    @Test func `a scan that is not complete adds nothing, and the last one gives the picture itself`()
        async throws
    {
        try await withEachCodec { codec in
            let jpeg = try await codec.encode(weave(80, 60), as: .jpeg, options: Self.progressive)
            let ends = scanEnds(jpeg)
            let first = try await codec.preview(of: Array(jpeg[..<(ends[0] + 2)]))
            let nearlySecond = try await codec.preview(of: Array(jpeg[..<ends[1]]))
            let second = try await codec.preview(of: Array(jpeg[..<(ends[1] + 2)]))
            #expect(first != nil)
            #expect(first == nearlySecond)
            #expect(first != second)
            #expect(try await codec.preview(of: Array(jpeg[..<ends[0]])) == nil)
            let whole = try await codec.preview(of: jpeg)
            let final = try await codec.bitmap(of: .bytes(jpeg))
            #expect(whole == final)
        }
    }

    @Test(arguments: 1...8, [Transform.none, .fit(40, 40), .fill(30, 30)])
    func `a preview is upright and has the size that the picture will have`(
        _ orientation: Int,
        _ transform: Transform
    ) async throws {
        try await withEachCodec { codec in
            let plain = try await codec.encode(fourCorners(240, 160), as: .jpeg, options: Self.progressive)
            let jpeg = HandMade.jpeg(plain, orientation: orientation)
            let preview = try await codec.preview(of: Array(jpeg[..<(scanEnds(jpeg)[1] + 2)]), transform)
            let final = try await codec.bitmap(of: .bytes(jpeg), transform)
            let shown = try #require(preview)
            #expect(shown.size == final.size)
            #expect(distance(shown, final) < 20)
            // Another turn of the four colours would be at a distance of 60 and more.
            #expect(shown != final)
        }
    }

    @Test func `no prefix of a progressive JPEG crashes or fails`() async throws {
        try await withEachCodec { codec in
            let plain = try await codec.encode(weave(24, 16), as: .jpeg, options: Self.progressive)
            let jpeg = HandMade.jpeg(plain, orientation: 6)
            var previews = 0
            for length in 0...jpeg.count {
                let preview = try await codec.preview(of: Array(jpeg[..<length]), .fit(9, 9))
                #expect((preview != nil) == (length >= scanEnds(jpeg)[0] + 2))
                previews += preview == nil ? 0 : 1
            }
            #expect(previews > 100)
            #expect(codec.memoryUse.used == 0)
        }
    }

    @Test func `damage in a prefix is an error or a preview, never a crash`() async throws {
        try await withEachCodec { codec in
            let jpeg = try await codec.encode(weave(48, 40), as: .jpeg, options: Self.progressive)
            var random = SplitMix64(seed: 7)
            for _ in 0..<300 {
                var bytes = Array(jpeg[..<Int.random(in: 1...jpeg.count, using: &random)])
                for _ in 0..<4 {
                    bytes[Int.random(in: bytes.indices, using: &random)] = .random(
                        in: 0...255,
                        using: &random
                    )
                }
                do {
                    _ = try await codec.preview(of: bytes, .fit(20, 20))
                } catch {
                    #expect(error is CalotypeError)
                }
            }
            #expect(codec.coreUse.used == 0)
            #expect(codec.memoryUse.used == 0)
        }
    }

    @Test func `only progressive JPEGs have previews`() async throws {
        try await withEachCodec { codec in
            for format in ImageFormat.encodable {
                let bytes = try await codec.encode(fourCorners(60, 40), as: format)
                #expect(try await codec.preview(of: bytes) == nil)
            }
            for text in ["", "<html>", "{}"] {
                #expect(try await codec.preview(of: Array(text.utf8)) == nil)
            }
        }
    }

    @Test func `a preview is held to the limits and takes memory as a decode does`() async throws {
        var configuration = ImageCodecConfiguration()
        configuration.memory = .kibibytes(10)
        try await withEachCodec(configuration) { codec in
            let jpeg = try await codec.encode(fourCorners(200, 100), as: .jpeg, options: Self.progressive)
            var limits = ImageLimits()
            limits.pixels = 19_999
            let found = await code { [limits] in _ = try await codec.preview(of: jpeg, limits: limits) }
            #expect(found == .tooManyPixels)
            // While all memory is out, a preview waits for its share.
            let permit = try await codec.memory.acquire(weight: 1)
            let work = Task { try await codec.preview(of: jpeg, .fit(20, 20)) }
            while codec.memoryUse.waiting == 0 { await Task.yield() }
            permit.release()
            let preview = try await work.value
            #expect(preview?.size == PixelSize(width: 20, height: 10))
        }
    }
}

/// A picture of soft and fine detail in all channels.
func weave(_ width: Int, _ height: Int) -> Bitmap {
    let grain = noise(width, height)
    var rgba = grain.rgba
    for y in 0..<height {
        for x in 0..<width {
            let start = (y * width + x) * 4
            let soft = [x * 160 / width, y * 160 / height, (x + y) * 160 / (width + height)]
            for (channel, level) in soft.enumerated() {
                rgba[start + channel] = UInt8(level + Int(grain.rgba[start + channel]) * 90 / 255)
            }
        }
    }
    return Bitmap(size: grain.size, rgba: rgba)
}

/// The mean difference of the channels of two pictures of one size.
func distance(_ one: Bitmap, _ other: Bitmap) -> Double {
    let sum = zip(one.rgba, other.rgba).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
    return Double(sum) / Double(one.rgba.count)
}

/// Where the scans of a JPEG end: the offsets of the markers that follow them.
func scanEnds(_ jpeg: [UInt8]) -> [Int] {
    var ends: [Int] = []
    var isInScan = false
    var offset = 2
    while offset + 1 < jpeg.count {
        let code = jpeg[offset + 1]
        if jpeg[offset] != 0xFF || code == 0 || (0xD0...0xD7).contains(code) {
            offset += 1
            continue
        }
        if isInScan { ends.append(offset) }
        if code == 0xD9 { break }
        isInScan = code == 0xDA
        offset += 2 + Int(jpeg[offset + 2]) << 8 + Int(jpeg[offset + 3])
    }
    return ends
}
