import CalotypeCore
import TaskFlow
import Testing

@testable import CalotypeCodec

/// The fast paths and libvips make the same picture of the same source, but for the rounding of a few steps.
@Suite(.timeLimit(.minutes(2)))
struct TwoWaysTests {
    private static let transforms: [Transform] = [
        .none, .fit(60, 60), .fit(61, 37), .fill(40, 64), .stretch(50, 70), .fit(200, 200, enlarges: true),
    ]

    @Test(arguments: [ImageFormat.jpeg, .png, .webp], transforms)
    func `a picture is the same on both ways, however it is scaled and cut`(
        _ format: ImageFormat,
        _ transform: Transform
    ) async throws {
        try await withImageCodec { codec in
            let source = try await codec.encode(Self.scene(151, 97), as: format, quality: 92)
            // The enlarging filters differ at hard edges.
            try await compare(source, transform, worst: transform.enlarges ? 110 : 32)
        }
    }

    @Test(arguments: 1...8, [Transform.fit(60, 60), .fill(30, 50)])
    func `a picture is the same on both ways, however it lies`(
        _ orientation: Int,
        _ transform: Transform
    ) async throws {
        try await withImageCodec { codec in
            let upright = try await codec.encode(Self.scene(120, 80), as: .jpeg, quality: 92)
            try await compare(HandMade.jpeg(upright, orientation: orientation), transform)
        }
    }

    @Test(arguments: [ImageFormat.jpeg, .png, .webp], [Effort.fast, .balanced, .best])
    func `an edited picture is the same on both ways`(_ format: ImageFormat, _ effort: Effort) async throws {
        let edits: [(inout PictureEdits) -> Void] = [
            { $0.crop = CropArea(width: 77, height: 53, gravity: .place(.northEast, x: 11, y: 7)) },
            { $0.crop = CropArea(width: 0.6, height: 0.5, gravity: .focus(x: 0.3, y: 0.8)) },
            { $0.gravity = .place(.south, x: 0.1, y: 3) },
            {
                $0.crop = CropArea(width: 101, height: 77, gravity: .place(.southEast, x: 3, y: 5))
                $0.quarterTurns = 1
                $0.flipsVertically = true
                $0.zoom = ScaleFactors(0.8, 0.7)
            },
        ]
        try await withImageCodec { codec in
            let source = try await codec.encode(Self.scene(151, 97), as: format, quality: 92)
            for edit in edits {
                var edited = PictureEdits()
                edit(&edited)
                for transform in [Transform.fit(40, 40), .fill(30, 34), .none] {
                    try await compare(source, transform.effort(effort).edited(edited), mean: 2.5, worst: 64)
                }
            }
        }
    }

    @Test(arguments: [ImageFormat.png, .webp], [false, true])
    func `a picture with alpha is the same on both ways`(
        _ format: ImageFormat,
        _ isLossless: Bool
    ) async throws {
        try await withImageCodec { codec in
            var options = EncodeOptions()
            options.isLossless = isLossless
            let scene = Self.scene(120, 80, isTransparent: true)
            let source = try await codec.encode(scene, as: format, quality: 95, options: options)
            try await compare(source, .fit(50, 50))
            try await compare(source, .none)
        }
    }

    @Test(arguments: [false, true], [EncodeOptions.Subsampling.half, .none])
    func `a JPEG is the same on both ways, however it is stored`(
        _ isProgressive: Bool,
        _ subsampling: EncodeOptions.Subsampling
    ) async throws {
        try await withImageCodec { codec in
            var options = EncodeOptions()
            options.isProgressive = isProgressive
            options.subsampling = subsampling
            let source = try await codec.encode(
                Self.scene(203, 131),
                as: .jpeg,
                quality: 92,
                options: options
            )
            for effort in Effort.allCases { try await compare(source, Transform.fit(40, 40).effort(effort)) }
        }
    }

    @Test(arguments: [ImageFormat.jpeg, .png])
    func `averaged as light a picture is the same on both ways`(_ format: ImageFormat) async throws {
        try await withImageCodec { codec in
            let source = try await codec.encode(Self.scene(120, 80), as: format, quality: 95)
            try await compare(source, Transform.fit(50, 50).inLinearLight(), mean: 2.5)
        }
    }

    @Test func `a grey picture is the same on both ways, and stays grey`() async throws {
        let samples = (0..<120 * 80).map { ($0 * 7 + $0 / 120 * 5) % 200 + 20 }
        let source = HandMade.png(width: 120, height: 80, colour: 0, depth: 8, samples: samples)
        try await compare(source, .fit(50, 50))
        try await withImageCodec { codec in
            let made = try await codec.renditions(of: .bytes(source), as: [RenditionSpec(.fit(50, 50), .png)])
            // The colour type in the header.
            #expect(made[0].bytes[25] == 0)
        }
    }

    /// Compares what both ways make of `source`: the mean difference of the samples, and the worst one.
    private func compare(
        _ source: [UInt8],
        _ transform: Transform,
        mean: Double = 1.5,
        worst: Int = 32
    ) async throws {
        var pictures: [Bitmap] = []
        for usesLibvipsOnly in [false, true] {
            var configuration = ImageCodecConfiguration()
            configuration.usesLibvipsOnly = usesLibvipsOnly
            try await withImageCodec(configuration) { codec in
                let made = try await codec.pictures(of: .bytes(source)) { [.pixels(transform)] }
                let picture = try #require(made.first).get()
                #expect((picture.decoder == .fast) == !usesLibvipsOnly)
                pictures.append(try #require(picture.bitmap))
            }
        }
        #expect(pictures[0].size == pictures[1].size)
        let seen = pictures.map { $0.onWhite }
        let differences = zip(seen[0], seen[1]).map { abs(Int($0) - Int($1)) }
        #expect(Double(differences.reduce(0, +)) / Double(differences.count) <= mean)
        #expect(differences.max() ?? 0 <= worst)
    }

    /// Soft colours, discs with edges, and in a transparent one a hole.
    private static func scene(_ width: Int, _ height: Int, isTransparent: Bool = false) -> Bitmap {
        var rgba: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width {
                let (across, down) = (x - width / 3, y - height / 2)
                let distance = across * across + down * down
                let isDisc = distance < height * height / 9
                let isHole = isTransparent && distance < height * height / 36
                rgba += [
                    isDisc ? 210 : UInt8(40 + 120 * x / width), UInt8(60 + 140 * y / height),
                    isDisc ? 90 : UInt8(200 - 150 * x / width),
                    isHole ? 0 : isTransparent && y > height * 3 / 4 ? 128 : 255,
                ]
            }
        }
        return Bitmap(size: PixelSize(width: width, height: height), rgba: rgba)
    }
}

extension Bitmap {
    /// The samples of the picture on white, and its alpha.
    fileprivate var onWhite: [UInt8] {
        stride(from: 0, to: rgba.count, by: 4).flatMap { start in
            let alpha = Int(rgba[start + 3])
            let colours = (0..<3).map { UInt8((Int(rgba[start + $0]) * alpha + 255 * (255 - alpha)) / 255) }
            return colours + [rgba[start + 3]]
        }
    }
}
