public import CalotypeCodec
public import CalotypeCore

/// A list of pictures like those on the web.
///
/// Mostly JPEG, some PNG and WebP, of many sizes, some with an EXIF orientation.
public struct SampleCollection: Hashable, Sendable {
    /// The pictures, ordered by name.
    public let specs: [SampleSpec]
    /// The seed of all random choices.
    public let seed: UInt64

    /// Creates the list without drawing anything.
    ///
    /// - Parameters:
    ///   - count: the number of pictures, 0 to 9,999 and more.
    ///   - seed: equal seeds give equal pictures.
    ///   - megapixels: the range of sizes, small ones more often; 0.5 to 12 by default. Tests that draw in
    ///     debug builds use about `0.005...0.02`.
    public init(count: Int, seed: UInt64 = 1, megapixels: ClosedRange<Double> = 0.5...12) {
        self.seed = seed
        specs = (0..<max(0, count)).map { SampleSpec(index: $0, seed: seed, megapixels: megapixels) }
    }
}

extension SampleSpec {
    private static let shapes: [(Double, Double)] = [
        (3, 2), (4, 3), (16, 9), (1, 1), (2, 3), (3, 4), (3, 2), (5, 4),
    ]

    /// Encoding PNG and WebP of 12 megapixels would take seconds, and such files are rare on the web.
    private static let largestMegapixels: [ImageFormat: Double] = [.png: 1.5, .webp: 4]

    fileprivate init(index: Int, seed: UInt64, megapixels: ClosedRange<Double>) {
        var random = SeededRandom(seed: seed &+ UInt64(index) &* 0x9e37_79b9)
        format = Self.format(index, &random)
        output = Self.output(format, &random)
        // Neighbours in the list have different motifs, because people see them side by side.
        let motifs = SampleMotif.allCases
        let motif = motifs[(index * 5 + Int(seed % 12)) % motifs.count]
        let size = Self.size(format, megapixels, &random)
        picture = SamplePicture(seed: random.next(), size: size, motif: motif)
        orientation = format == .jpeg && random.chance(0.25) ? random.whole(2...8) : 1
        let digits = String(index)
        let number = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        name = "\(number)-\(motif.rawValue)-\(picture.size).\(format.fileExtension)"
    }

    /// Eight of any ten consecutive pictures are JPEG.
    private static func format(_ index: Int, _ random: inout SeededRandom) -> ImageFormat {
        switch index % 10 {
        case 4: .png
        case 8: .webp
        default: .jpeg
        }
    }

    private static func output(_ format: ImageFormat, _ random: inout SeededRandom) -> OutputFormat {
        switch format {
        case .png: .png
        case .webp: .webp(quality: random.whole(75...88))
        default: .jpeg(quality: random.whole(82...92))
        }
    }

    private static func size(
        _ format: ImageFormat,
        _ megapixels: ClosedRange<Double>,
        _ random: inout SeededRandom
    ) -> PixelSize {
        // The cube of a uniform distribution: half of the pictures are in the lowest eighth of the range.
        let draw = random.unit()
        let width = megapixels.upperBound - megapixels.lowerBound
        let wanted = megapixels.lowerBound + width * draw * draw * draw
        let area = max(1e-6, min(wanted, largestMegapixels[format] ?? wanted)) * 1e6
        let shape = random.one(of: shapes)
        let unit = (area / (shape.0 * shape.1)).squareRoot()
        return PixelSize(width: max(1, Int(unit * shape.0)), height: max(1, Int(unit * shape.1)))
    }
}

/// One picture of a collection, drawn on demand.
public struct SampleSpec: Hashable, Sendable {
    /// The file name, such as `0007-harbour-3000x2000.jpg`, with the size of the upright picture.
    public let name: String
    /// The picture to draw.
    public let picture: SamplePicture
    /// The output format and its options: JPEG, PNG or WebP.
    public let output: OutputFormat
    /// The format of ``output``.
    public let format: ImageFormat
    /// The EXIF orientation of the file, 1 to 8.
    ///
    /// The pixels are stored turned the opposite way.
    public let orientation: Int

    /// Returns this picture as an upright JPEG at most `side` pixels wide and high.
    func small(_ side: Int) -> SampleSpec {
        let scale = min(1, Double(side) / Double(max(picture.size.width, picture.size.height)))
        let size = PixelSize(
            width: max(1, Int(Double(picture.size.width) * scale)),
            height: max(1, Int(Double(picture.size.height) * scale))
        )
        return SampleSpec(
            name: name,
            picture: SamplePicture(seed: picture.seed, size: size, motif: picture.motif),
            output: .jpeg,
            format: .jpeg,
            orientation: 1
        )
    }

    /// Draws and encodes the picture on the calling thread's executor and the codec's.
    ///
    /// Drawing computes for up to 0.3 s. Call it only where that is acceptable; see ``SampleRenderer``.
    ///
    /// - Throws: what the codec throws.
    public func encoded(by codec: any ImageCoding) async throws -> [UInt8] {
        let bytes = try await codec.encode(picture.draw().stored(for: orientation), as: output)
        return orientation == 1 ? bytes : EXIFOrientation.inserted(orientation, intoJPEG: bytes)
    }
}
