import CalotypeCore
import TaskFlow
import Testing

@testable import CalotypeCodec

/// What a fast WebP decode gave: the rows of each plane, one after the other.
struct DecodedPlanes {
    var layout: SampleLayout
    var planes: [[UInt8]]
    var isPartial = false

    /// Decodes `bytes`, which the fast path has to take.
    init(
        webp source: EncodedSource,
        acceptsTruncated: Bool = false,
        facts: ImageFacts? = nil
    ) throws {
        let verdict = try WebPSource.verdict(source, try facts ?? source.facts())
        guard case .taken(let webp) = verdict else { throw Left(verdict: "\(verdict)") }
        try self.init(
            webp.decoder(scale: 8, acceptsTruncated: acceptsTruncated, isCancelled: { false })
        )
    }

    /// Decodes with `decoder` until it has no more.
    init(_ decoder: any RowDecoder) throws {
        layout = decoder.layout
        planes = layout.planes.map { _ in [] }
        var more = true
        while more {
            more = try decoder.next { plane, row in
                #expect(row.count == layout.planes[plane].rowBytes)
                for index in row.indices { planes[plane].append(row[index]) }
            }
        }
        for (plane, samples) in zip(layout.planes, planes) {
            #expect(samples.count == plane.rowBytes * plane.size.height)
        }
        isPartial = decoder.isPartial
    }

    /// Thrown for a picture that is left to libvips.
    struct Left: Error {
        let verdict: String
    }

    /// The pixels, Cb and Cr between their samples in straight lines.
    var bitmap: Bitmap {
        let size = layout.planes[0].size
        var rgba: [UInt8] = []
        for y in 0..<size.height {
            for x in 0..<size.width { rgba += pixel(x, y, width: size.width) }
        }
        return Bitmap(size: size, rgba: rgba)
    }

    private func pixel(_ x: Int, _ y: Int, width: Int) -> [UInt8] {
        let samples = planes[0][((y * width + x) * layout.planes[0].channels)...]
        let first = samples.startIndex
        switch layout.model {
        case .grey: return [samples[first], samples[first], samples[first], 255]
        case .greyAlpha: return [samples[first], samples[first], samples[first], samples[first + 1]]
        case .rgb: return samples.prefix(3) + [255]
        case .rgba: return Array(samples.prefix(4))
        case .videoYCbCr:
            let luma = 1.164_384 * (Double(samples[first]) - 16)
            let (cb, cr) = (colour(1, x, y) - 128, colour(2, x, y) - 128)
            let rgb = [
                luma + 1.596_027 * cr, luma - 0.391_762 * cb - 0.812_968 * cr, luma + 2.017_232 * cb,
            ]
            return rgb.map { UInt8(max(0, min(255, $0.rounded()))) } + [255]
        }
    }

    private func colour(_ plane: Int, _ x: Int, _ y: Int) -> Double {
        let size = layout.planes[plane].size
        let (left, top) = (Double(x) / 2 - 0.25, Double(y) / 2 - 0.25)
        var sum = 0.0
        for (column, across) in Self.ends(left, size.width) {
            for (row, down) in Self.ends(top, size.height) {
                sum += across * down * Double(planes[plane][row * size.width + column])
            }
        }
        return sum
    }

    /// The two samples that `position` lies between, and their weights.
    private static func ends(_ position: Double, _ count: Int) -> [(Int, Double)] {
        let before = position.rounded(.down)
        let index = Int(before)
        return [
            (max(0, index), 1 - (position - before)), (min(count - 1, index + 1), position - before),
        ]
    }
}

extension Bitmap {
    /// The largest difference between two samples of two pictures; where both are clear, colours do not count.
    func difference(_ other: Bitmap) -> Int {
        guard size == other.size else { return 256 }
        var largest = 0
        for start in stride(from: 0, to: rgba.count, by: 4) {
            let isClear = rgba[start + 3] == 0 && other.rgba[start + 3] == 0
            for index in (isClear ? start + 3 : start)..<start + 4 {
                largest = max(largest, abs(Int(rgba[index]) - Int(other.rgba[index])))
            }
        }
        return largest
    }

    /// The mean of the squared differences of two pictures of one size.
    func meanSquare(_ other: Bitmap) -> Double {
        let sum = zip(rgba, other.rgba).reduce(0) { sum, pair in
            let difference = Int(pair.0) - Int(pair.1)
            return sum + difference * difference
        }
        return Double(sum) / Double(rgba.count)
    }
}

/// A picture of soft colours, a little noise, and alpha that falls from left to right if wanted.
func gradient(_ width: Int, _ height: Int, hasAlpha: Bool = false) -> Bitmap {
    var random = SplitMix64(seed: 7)
    var rgba: [UInt8] = []
    for y in 0..<height {
        for x in 0..<width {
            let grain = Int(random.next() % 16)
            rgba += [
                UInt8(x * 230 / width + grain), UInt8(y * 230 / height + grain),
                UInt8((x + y) * 230 / (width + height) + grain),
                hasAlpha ? UInt8(255 - x * 255 / width) : 255,
            ]
        }
    }
    return Bitmap(size: PixelSize(width: width, height: height), rgba: rgba)
}

/// The four kinds of still WebP.
enum WebPKind: CaseIterable {
    case lossy, lossless, lossyAlpha, losslessAlpha

    var hasAlpha: Bool { self == .lossyAlpha || self == .losslessAlpha }

    /// `picture` as a WebP of this kind.
    func encoded(_ picture: Bitmap, _ codec: ImageCodec) async throws -> [UInt8] {
        var options = EncodeOptions()
        options.isLossless = self == .lossless || self == .losslessAlpha
        return try await codec.encode(picture, as: .webp, options: options)
    }
}

extension HandMade {
    /// A WebP in the extended format with chunks before and after the pixels of `webp`, which is simple.
    static func webp(
        _ webp: [UInt8],
        _ size: PixelSize,
        flags: UInt8,
        before: [(String, [UInt8])],
        after: [(String, [UInt8])] = []
    ) -> [UInt8] {
        let head = [flags, 0, 0, 0] + little(size.width - 1, 3) + little(size.height - 1, 3)
        var body = Array("WEBP".utf8) + riff("VP8X", head)
        for (name, content) in before { body += riff(name, content) }
        body += webp.dropFirst(12)
        for (name, content) in after { body += riff(name, content) }
        return Array("RIFF".utf8) + little(body.count, 4) + body
    }

    private static func riff(_ name: String, _ content: [UInt8]) -> [UInt8] {
        let padding: [UInt8] = content.count % 2 == 1 ? [0] : []
        return Array(name.utf8) + little(content.count, 4) + content + padding
    }
}
