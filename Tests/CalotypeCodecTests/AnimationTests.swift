import CalotypeCore
import CalotypeFiles
import TaskFlow
import Testing

@testable import CalotypeCodec

/// Animations that stay animations.
struct AnimationTests {
    private static let red: [UInt8] = [255, 0, 0, 255]
    private static let blue: [UInt8] = [0, 0, 255, 255]
    private static let none: [UInt8] = [0, 0, 0, 0]

    private static func pixels(_ colour: [UInt8], _ count: Int) -> [Int] {
        Array(repeatElement(colour.map(Int.init), count: count).joined())
    }

    /// The size of animated PNGs.
    private static let canvas = PixelSize(width: 4, height: 2)

    /// A frame of an animated PNG.
    private struct Frame {
        var colour: [UInt8]
        var area = PixelArea(left: 0, top: 0, size: AnimationTests.canvas)
        var delay = (5, 100)
        var disposal: UInt8 = 0
        var isOver = false
    }

    /// An animated PNG of `frames`; the numbers of its chunks begin with `sequence`.
    private static func png(_ frames: [Frame], loops: Int = 0, sequence: Int = 0) -> [UInt8] {
        var sequence = sequence
        func next() -> [UInt8] {
            defer { sequence += 1 }
            return HandMade.big(sequence, 4)
        }
        let still = HandMade.png(width: 4, height: 2, colour: 6, depth: 8, samples: pixels(none, 8))
        var file =
            still.prefix(33) + HandMade.chunk("acTL", HandMade.big(frames.count, 4) + HandMade.big(loops, 4))
        for (index, frame) in frames.enumerated() {
            let size = frame.area.size
            let place = [size.width, size.height, frame.area.left, frame.area.top]
            let time = HandMade.big(frame.delay.0, 2) + HandMade.big(frame.delay.1, 2)
            let rest: [UInt8] = [frame.disposal, frame.isOver ? 1 : 0]
            file += HandMade.chunk("fcTL", next() + place.flatMap { HandMade.big($0, 4) } + time + rest)
            let stored = index == 0 ? canvas : size
            let row: [UInt8] = [0] + Array(repeatElement(frame.colour, count: stored.width).joined())
            let data = HandMade.stored(Array(repeatElement(row, count: stored.height).joined()))
            file += index == 0 ? HandMade.chunk("IDAT", data) : HandMade.chunk("fdAT", next() + data)
        }
        return file + HandMade.pngEnd
    }

    private static let spot = PixelArea(left: 1, top: 1, size: PixelSize(width: 2, height: 1))

    private func made(
        _ codec: ImageCodec,
        _ file: [UInt8],
        _ spec: RenditionSpec
    ) async throws -> CodedPicture {
        let made = try await codec.renditions(of: .bytes(file), as: [spec])
        return made[0]
    }

    /// The pixel in the middle of each frame of `file`.
    private func middles(_ codec: ImageCodec, _ file: [UInt8], frames: Int) async throws -> [[UInt8]] {
        var middles: [[UInt8]] = []
        for frame in 0..<frames {
            var transform = Transform.none
            transform.edits.frame = frame
            let bitmap = try await codec.bitmap(of: .bytes(file), transform)
            middles.append(bitmap.pixel(bitmap.size.width / 2, bitmap.size.height / 2))
        }
        return middles
    }

    @Test(arguments: [OutputFormat.gif, .webp, .losslessWebP, .original])
    func `all frames of an animation are scaled`(format: OutputFormat) async throws {
        try await withEachCodec { codec in
            let png = Self.png([Self.red, Self.blue, Self.red].map { Frame(colour: $0) })
            let made = try await made(codec, png, RenditionSpec(.fit(2, 2).animated(), format))
            #expect(made.size == PixelSize(width: 2, height: 1))
            #expect(!made.isVerbatim)
            let facts = try await codec.facts(of: .bytes(made.bytes))
            #expect(facts.frames == 3)
            #expect(facts.storedSize == made.size)
        }
    }

    @Test func `as many frames are kept as are requested and exist`() async throws {
        try await withEachCodec { codec in
            let gif = HandMade.gif(width: 8, height: 8, frames: 5)
            for (first, most, wanted) in [(0, 2, 2), (3, Int.max, 2), (4, 9, 1), (0, 5, 5), (0, 1, 1)] {
                var transform = Transform.fit(4, 4).animated(atMost: most)
                transform.edits.frame = first
                let made = try await made(codec, gif, RenditionSpec(transform, .gif))
                #expect(try await codec.facts(of: .bytes(made.bytes)).frames == wanted)
            }
        }
    }

    @Test func `a still picture is the same whether or not frames are requested`() async throws {
        try await withEachCodec { codec in
            let png = try await codec.encode(fourCorners(60, 40), as: .png)
            let still = try await made(codec, png, RenditionSpec(.fit(30, 30), .webp))
            let animated = try await made(codec, png, RenditionSpec(.fit(30, 30).animated(), .webp))
            #expect(animated.bytes == still.bytes)
            #expect(animated.decoder == still.decoder)
        }
    }

    @Test func `a format without animation gets the first frame`() async throws {
        try await withEachCodec { codec in
            let gif = HandMade.gif(width: 8, height: 8, frames: 3)
            for format in [OutputFormat.jpeg, .png, .tiff] {
                let made = try await made(codec, gif, RenditionSpec(.fit(4, 4).animated(), format))
                #expect(made.size == PixelSize(width: 4, height: 4))
                #expect(try await codec.facts(of: .bytes(made.bytes)).storedSize == made.size)
            }
        }
    }

    @Test func `an animation becomes GIF, or WebP if that is preferred or its source is PNG`()
        async throws
    {
        try await withEachCodec { codec in
            let gif = HandMade.gif(width: 8, height: 8, frames: 3)
            let png = Self.png([Frame(colour: Self.red), Frame(colour: Self.blue)])
            let transform = Transform.fit(4, 4).animated()
            let webp = SuitedFormat(preferred: [.webp, .jpeg])
            let cases: [([UInt8], Transform, SuitedFormat, ImageFormat)] = [
                (gif, transform, SuitedFormat(), .gif), (png, transform, SuitedFormat(), .webp),
                (gif, transform, webp, .webp), (gif, .fit(4, 4), SuitedFormat(), .jpeg),
            ]
            for (file, transform, rule, wanted) in cases {
                let made = try await made(codec, file, RenditionSpec(transform, .suited(rule)))
                #expect(made.format == wanted)
            }
        }
    }

    @Test func `an unchanged animation stays as it is`() async throws {
        try await withEachCodec { codec in
            let gif = HandMade.gif(width: 8, height: 8, frames: 3)
            let whole = try await made(codec, gif, RenditionSpec(Transform.none.animated(), .original))
            #expect(whole.isVerbatim)
            #expect(whole.bytes == gif)
            let part = try await made(
                codec,
                gif,
                RenditionSpec(Transform.none.animated(atMost: 2), .original)
            )
            #expect(try await codec.facts(of: .bytes(part.bytes)).frames == 2)
        }
    }

    @Test func `frames with too many pixels in total are refused`() async throws {
        try await withEachCodec { codec in
            let gif = HandMade.gif(width: 10, height: 10, frames: 5)
            var limits = ImageLimits()
            limits.pixels = 499
            let spec = RenditionSpec(Transform.none.animated(), .webp)
            let error = await #expect(throws: CalotypeError.self) {
                _ = try await codec.renditions(of: .bytes(gif), as: [spec], limits: limits)
            }
            #expect(error?.code == .tooManyPixels)
            #expect(error?.message.contains("5 frames of 10x10 pixels") == true)
            limits.pixels = 500
            _ = try await codec.renditions(of: .bytes(gif), as: [spec], limits: limits)
        }
    }

    @Test func `the frames of a PNG are composed and removed as they say`() async throws {
        let half: [UInt8] = [0, 0, 255, 128]
        let cases: [([Frame], [[UInt8]])] = [
            ([Frame(colour: Self.red), Frame(colour: half, area: Self.spot)], [Self.red, half]),
            (
                [Frame(colour: Self.red), Frame(colour: half, area: Self.spot, isOver: true)],
                [Self.red, [127, 0, 128, 255]]
            ),
            (
                [
                    Frame(colour: Self.red), Frame(colour: Self.blue, area: Self.spot, disposal: 2),
                    Frame(colour: Self.none, area: Self.spot, isOver: true),
                ],
                [Self.red, Self.blue, Self.red]
            ),
            (
                [
                    Frame(colour: Self.red), Frame(colour: Self.blue, area: Self.spot, disposal: 1),
                    Frame(colour: Self.none, area: Self.spot, isOver: true),
                ],
                [Self.red, Self.blue, Self.none]
            ),
            // There is nothing before the first frame to go back to.
            (
                [Frame(colour: Self.red, disposal: 2), Frame(colour: half, area: Self.spot, isOver: true)],
                [Self.red, half]
            ),
        ]
        try await withEachCodec { codec in
            for (frames, wanted) in cases {
                let png = Self.png(frames)
                #expect(try await middles(codec, png, frames: frames.count) == wanted)
                let made = try await made(codec, png, RenditionSpec(Transform.none.animated(), .original))
                #expect(made.format == .webp)
                #expect(try await middles(codec, made.bytes, frames: frames.count) == wanted)
            }
        }
    }

    @Test func `the delays and repetitions of a PNG are read`() throws {
        let frames = [(1, 25), (5, 0), (0, 10), (65_535, 1)].map { Frame(colour: Self.red, delay: $0) }
        let animation = try AnimatedPNG(Self.png(frames, loops: 3))
        #expect(animation.frames.map(\.delay) == [40, 50, 0, 65_535_000])
        #expect(animation.loops == 3)
    }

    @Test func `a damaged animation of a PNG is an error`() async throws {
        let (red, spot) = (Frame(colour: Self.red), Self.spot)
        var outside = spot
        outside.left = 3
        let good = Self.png([red, Frame(colour: Self.blue, area: spot)])
        let files = [
            Self.png([red, red], sequence: 1),
            Self.png([red, Frame(colour: Self.blue, area: outside)]),
            Self.png([Frame(colour: Self.red, area: spot), red]),
            Self.png([red, Frame(colour: Self.blue, area: spot, disposal: 3)]),
            good.dropLast(12) + HandMade.chunk("fcTL", HandMade.big(3, 4)) + HandMade.pngEnd,
        ]
        try await withEachCodec { codec in
            for file in files {
                let spec = RenditionSpec(.fit(2, 2).animated(), .webp)
                let code = await code { _ = try await codec.renditions(of: .bytes(file), as: [spec]) }
                #expect(code == .corruptImage)
                // The damage does not concern the still picture.
                _ = try await codec.renditions(of: .bytes(file), as: [RenditionSpec(.fit(2, 2), .webp)])
            }
        }
        probeDamaged(good)
        var random = SplitMix64(seed: 7)
        for _ in 0..<2_000 {
            var damaged = good
            for _ in 0..<3 {
                damaged[Int.random(in: 33..<damaged.count, using: &random)] = .random(
                    in: 0...255,
                    using: &random
                )
            }
            // It must not trap.
            _ = try? AnimatedPNG(damaged)
        }
    }
}
