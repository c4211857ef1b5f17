import CalotypeCore

@testable import CalotypeCodec

/// What `JPEGSource` makes of a JPEG.
struct DecodedJPEG {
    let layout: SampleLayout
    /// All rows, one after another.
    private(set) var samples: [UInt8] = []
    let isPartial: Bool
    /// The steps that gave no rows.
    private(set) var silentSteps = 0

    init(_ bytes: [UInt8], scale: Int = 8, acceptsTruncated: Bool = false) throws {
        try self.init(.memory(bytes), scale: scale, acceptsTruncated: acceptsTruncated)
    }

    init(_ source: EncodedSource, scale: Int = 8, acceptsTruncated: Bool = false) throws {
        try self.init(
            jpegSource(source).decoder(
                scale: scale,
                acceptsTruncated: acceptsTruncated,
                isCancelled: { false }
            )
        )
    }

    init(_ decoder: any RowDecoder) throws {
        layout = decoder.layout
        var mayHaveMore = true
        while mayHaveMore {
            var rows: [UInt8] = []
            mayHaveMore = try decoder.next { _, row in
                for i in row.indices { rows.append(row[i]) }
            }
            if rows.isEmpty { silentSteps += 1 }
            samples += rows
        }
        isPartial = decoder.isPartial
    }

    /// The rows and columns that the decoder gave.
    var size: PixelSize { layout.planes.first?.size ?? PixelSize(width: 0, height: 0) }

    /// The samples, grey told three times.
    var rgb: [UInt8] {
        layout.model == .grey ? samples.flatMap { [$0, $0, $0] } : samples
    }
}

/// A JPEG that the fast path did not take.
struct LeftJPEG: Error {
    let reason: String
}

/// The source that `JPEGSource` takes `source` for.
func jpegSource(_ source: EncodedSource) throws -> any FastSource {
    switch try JPEGSource.verdict(source, jpegFacts(source)) {
    case .taken(let taken): return taken
    case .left(let reason): throw LeftJPEG(reason: reason)
    }
}

/// The facts of what may be cut short.
private func jpegFacts(_ source: EncodedSource) throws -> ImageFacts {
    let bytes = try source.bytes()
    guard let facts = try ImageProbe.facts(fromPrefix: bytes, isComplete: true) else {
        throw LeftJPEG(reason: "no facts")
    }
    return facts
}

/// The pixels of `jpeg` as libvips decodes them, three bytes each.
func libvipsRGB(_ jpeg: [UInt8]) throws -> [UInt8] {
    try Libvips.start()
    let rgba = try VipsImage.load(.memory(jpeg), options: "[access=sequential,fail_on=truncated]") {
        try $0.inSRGB().inMemory().rgba()
    }
    return rgba.indices.filter { $0 % 4 != 3 }.map { rgba[$0] }
}

/// `bitmap` as libvips encodes it.
func libvipsJPEG(
    _ bitmap: Bitmap,
    quality: Int = 85,
    isProgressive: Bool = false,
    subsampling: EncodeOptions.Subsampling = .automatic
) throws -> [UInt8] {
    try Libvips.start()
    var options = EncodeOptions()
    options.isProgressive = isProgressive
    options.subsampling = subsampling
    return try VipsEncoder(.jpeg, quality: quality, options: options)
        .encode(VipsDecode.Picture(VipsImage.copy(of: bitmap)))
}

/// A picture of gentle gradients with a round edge, as photographs have them.
func hills(_ width: Int, _ height: Int) -> Bitmap {
    var rgba: [UInt8] = []
    for y in 0..<height {
        for x in 0..<width {
            let (across, down) = (x * 255 / width, y * 255 / height)
            let isInside = (x - width / 2) * (x - width / 2) + (y - height / 2) * (y - height / 2) < 400
            rgba += isInside ? [200, 90, 40, 255] : [UInt8(across), UInt8(down), UInt8(255 - across), 255]
        }
    }
    return Bitmap(size: PixelSize(width: width, height: height), rgba: rgba)
}

/// The largest difference between two samples at the same place; 255 where the counts differ.
func largestDifference(_ a: [UInt8], _ b: [UInt8]) -> Int {
    guard a.count == b.count else { return 255 }
    return zip(a, b).reduce(0) { max($0, abs(Int($1.0) - Int($1.1))) }
}

/// The mean difference between the samples at the same place; 255 where the counts differ.
func meanDifference(_ a: [UInt8], _ b: [UInt8]) -> Double {
    guard a.count == b.count, !a.isEmpty else { return 255 }
    return Double(zip(a, b).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }) / Double(a.count)
}

/// Three bytes a pixel of `rgb`, a picture of `size`, averaged over the areas that one pixel covers at `scale` eighths.
func averaged(_ rgb: [UInt8], _ size: PixelSize, scale: Int) -> [UInt8] {
    let (width, height) = ((size.width * scale + 7) / 8, (size.height * scale + 7) / 8)
    var small: [UInt8] = []
    for y in 0..<height {
        for x in 0..<width {
            for channel in 0..<3 {
                small.append(mean(rgb, size, x * 8, y * 8, scale, channel))
            }
        }
    }
    return small
}

/// The mean over the area that begins at `left` and `top`, both in units of a pixel divided by `scale`.
private func mean(
    _ rgb: [UInt8],
    _ size: PixelSize,
    _ left: Int,
    _ top: Int,
    _ scale: Int,
    _ channel: Int
) -> UInt8 {
    var sum = 0
    var weight = 0
    for y in top / scale..<min((top + 8 + scale - 1) / scale, size.height) {
        let down = min((y + 1) * scale, top + 8) - max(y * scale, top)
        for x in left / scale..<min((left + 8 + scale - 1) / scale, size.width) {
            let across = min((x + 1) * scale, left + 8) - max(x * scale, left)
            sum += Int(rgb[(y * size.width + x) * 3 + channel]) * across * down
            weight += across * down
        }
    }
    return UInt8((sum + weight / 2) / weight)
}
