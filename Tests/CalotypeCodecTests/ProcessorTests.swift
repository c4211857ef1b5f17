import CalotypeCore
import CalotypeTestKit
import TaskFlow
import Testing

@testable import CalotypeCodec

/// Steps on pixels, between a decode and the encoding of its result.
@Suite(.timeLimit(.minutes(1)))
struct ProcessorTests {
    /// A step with a closure.
    private struct Step: ImageProcessing {
        var identifier = "test"
        let body: @Sendable (Bitmap) throws -> Bitmap

        func process(_ bitmap: Bitmap) throws -> Bitmap { try body(bitmap) }
    }

    private struct Unwell: Error, CustomStringConvertible {
        var description: String { "no ink" }
    }

    private static func grey(_ side: Int, _ level: UInt8 = 100, alpha: UInt8 = 255) -> Bitmap {
        let rgba = (0..<side * side).flatMap { _ in [level, level, level, alpha] }
        return Bitmap(size: PixelSize(width: side, height: side), rgba: rgba)
    }

    private static func transform(_ processors: [any ImageProcessing]) -> Transform {
        var transform = Transform.fit(32, 32)
        transform.processors = processors
        return transform
    }

    /// Makes the picture of a green source of 64 by 48 pixels, in each way to decode.
    private func made(
        _ processors: [any ImageProcessing],
        _ output: OutputFormat = .png,
        _ check: (Result<CodedPicture, CalotypeError>, ImageCodec) async throws -> Void
    ) async throws {
        try await withEachCodec { codec in
            let green = Bitmap(
                size: PixelSize(width: 64, height: 48),
                rgba: (0..<64 * 48).flatMap { _ in [0, 200, 0, 255] as [UInt8] }
            )
            let source = CodecInput.bytes(try await codec.encode(green, as: .png))
            let spec = PictureSpec.encoded(RenditionSpec(Self.transform(processors), output))
            let results = try await codec.pictures(of: source) { [spec] }
            try await check(try #require(results.first), codec)
        }
    }

    @Test func `processors run one after another on the scaled picture`() async throws {
        let sizes = Recorder<PixelSize>()
        let look = Step { bitmap in
            sizes.record(bitmap.size)
            return bitmap
        }
        try await made([look, .circle, look, .greyscale]) { result, codec in
            let picture = try result.get()
            #expect(picture.size == PixelSize(width: 24, height: 24))
            let bitmap = try await codec.bitmap(of: .bytes(picture.bytes))
            #expect(bitmap.rgba[3] == 0)
            let middle = (12 * 24 + 12) * 4
            #expect(Array(bitmap.rgba[middle..<middle + 4]) == [143, 143, 143, 255])
        }
        let pair = [PixelSize(width: 32, height: 24), PixelSize(width: 24, height: 24)]
        // Once for each codec.
        #expect(sizes.values == Array(repeating: pair, count: sizes.count / 2).flatMap(\.self))
    }

    @Test func `pixels are processed, too, and other results of the same decode are not`() async throws {
        try await withEachCodec { codec in
            let source = try await codec.encode(Self.grey(64), as: .png)
            let specs: [PictureSpec] = [
                .pixels(Self.transform([.tint(Colour(red: 255, green: 0, blue: 0), strength: 1)])),
                .pixels(.fit(32, 32)),
            ]
            let made = try await codec.pictures(of: .bytes(source)) { specs }.map { try $0.get().bitmap }
            #expect(made[0]?.rgba.prefix(4) == [255, 0, 0, 255])
            #expect(made[1]?.rgba.prefix(4) == [100, 100, 100, 255])
        }
    }

    @Test(arguments: [
        (OutputFormat.suited(SuitedFormat()), ImageFormat.png), (.original, .png), (.jpeg, .jpeg),
        (.suited(SuitedFormat(preferred: [.webp])), .webp),
    ])
    func `the format follows from the request, the source and the processed pixels`(
        output: OutputFormat,
        format: ImageFormat
    ) async throws {
        try await made([.roundedCorners(8)], output) { result, _ in
            let made = try result.get()
            #expect(made.format == format)
        }
    }

    @Test func `what a processor does wrong fails its own result, with its name`() async throws {
        let failures: [(Step, ErrorCode, String)] = [
            (Step { _ in throw Unwell() }, .processorFailed, "no ink"),
            // Nobody has cancelled the decode.
            (Step { _ in throw CancellationError() }, .processorFailed, "CancellationError"),
            (
                Step { bitmap in
                    var bitmap = bitmap
                    bitmap.rgba.removeLast()
                    return bitmap
                }, .processorFailed, "3071 bytes for 32x24"
            ),
            (Step { _ in Bitmap(size: PixelSize(width: 0, height: 5), rgba: []) }, .processorFailed, "0x5"),
            (Step { _ in throw CalotypeError(.emptyResult, "mine", stage: .encode) }, .emptyResult, "mine"),
        ]
        for (step, code, words) in failures {
            try await made([step]) { result, _ in
                guard case .failure(let error) = result else {
                    Issue.record("no failure: \(words)")
                    return
                }
                #expect(error.code == code)
                #expect(error.message.contains(words), "\(error.message)")
            }
        }
    }

    @Test func `a processor cannot return more pixels than the request allows`() async throws {
        try await withImageCodec { codec in
            let source = try await codec.encode(Self.grey(8), as: .png)
            var limits = ImageLimits()
            limits.pixels = 100
            let spec = PictureSpec.pixels(Self.transform([Step { _ in Self.grey(11) }]))
            let result = try #require(
                try await codec.pictures(of: .bytes(source), limits: limits) { [spec] }.first
            )
            guard case .failure(let error) = result else {
                Issue.record("it may")
                return
            }
            #expect(error.code == .tooManyPixels)
        }
    }

    @Test func `a cancelled decode does not begin the next processor`() async throws {
        let calls = Recorder<String>()
        try await withImageCodec { codec in
            let source = try await codec.encode(Self.grey(8), as: .png)
            let first = Step { bitmap in
                calls.record("first")
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                return bitmap
            }
            let second = Step { bitmap in
                calls.record("second")
                return bitmap
            }
            let spec = PictureSpec.pixels(Self.transform([first, second]))
            let load = Task { try await codec.pictures(of: .bytes(source)) { [spec] } }
            await #expect(throws: CancellationError.self) { try await load.value }
            #expect(codec.load == CodecLoad(running: 0, waiting: 0, bytes: ByteCount(0)))
        }
        #expect(calls.values == ["first"])
    }

    @Test func `invalid combinations are refused before anything is done`() async throws {
        let pass = Step { $0 }
        var kept = Self.transform([pass])
        kept.edits.kept = .copyright
        var small = Self.transform([pass])
        small.edits.mostBytes = .kibibytes(1)
        let refused: [(Transform, String)] = [
            (Self.transform(Array(repeating: pass, count: 17)), "17 processors"),
            (Self.transform([Step(identifier: "") { $0 }]), "0 bytes"),
            (Self.transform([Step(identifier: String(repeating: "x", count: 501)) { $0 }]), "501 bytes"),
            (kept, "metadata"), (small, "maximum number of bytes"),
        ]
        for (transform, words) in refused { #expect(transform.outOfRange?.contains(words) == true) }
        #expect(Self.transform([pass]).outOfRange == nil)
    }

    @Test func `rounded corners are smooth, equal on all sides, and no larger than half a side`() {
        let rounded = ImageProcessors.RoundedCorners(radius: 4).process(Self.grey(10))
        let alphas = stride(from: 3, to: rounded.rgba.count, by: 4).map { rounded.rgba[$0] }
        #expect(alphas[0] == 0)
        #expect(alphas[4] == 255 && alphas[44] == 255)
        #expect(alphas.contains { $0 > 0 && $0 < 255 })
        #expect(alphas == alphas.reversed())
        for row in 0..<10 {
            for column in 0..<10 { #expect(alphas[row * 10 + column] == alphas[column * 10 + row]) }
        }
        let circle = ImageProcessors.Circle().process(Self.grey(10))
        #expect(ImageProcessors.RoundedCorners(radius: 1_000).process(Self.grey(10)) == circle)
        #expect(ImageProcessors.RoundedCorners(radius: -1).process(Self.grey(10)) == Self.grey(10))
    }

    @Test func `an overlay lies in the middle, and its transparency counts`() {
        let below = Self.grey(5, 0)
        let half = ImageProcessors.Overlay(Self.grey(1, 255, alpha: 128), name: "dot").process(below)
        #expect(Array(half.rgba[48..<52]) == [128, 128, 128, 255])
        #expect(
            half.rgba.enumerated().allSatisfy {
                (48..<52).contains($0.offset) || $0.element == below.rgba[$0.offset]
            }
        )
        #expect(ImageProcessors.Overlay(Self.grey(9, 255), name: "large").process(below) == Self.grey(5, 255))
        let nothing = ImageProcessors.Overlay(Self.grey(5, 9, alpha: 0), name: "none")
        #expect(nothing.process(Self.grey(5, 7, alpha: 0)) == Self.grey(5, 7, alpha: 0))
    }

    @Test func `a tint mixes colours and keeps transparency`() {
        let tint = ImageProcessors.Tint(Colour(red: 200, green: 0, blue: 100), strength: 0.5)
        #expect(tint.process(Self.grey(1, 100, alpha: 7)).rgba == [150, 50, 100, 7])
        #expect(ImageProcessors.Tint(.white, strength: 2).process(Self.grey(1)) == Self.grey(1, 255))
    }

    @Test func `what is not a number changes nothing`() {
        #expect(ImageProcessors.Tint(.white, strength: .nan).process(Self.grey(2)) == Self.grey(2))
        #expect(ImageProcessors.RoundedCorners(radius: .nan).process(Self.grey(2)) == Self.grey(2))
    }

    @Test func `a preview is processed like the picture`() async throws {
        try await withImageCodec { codec in
            var options = EncodeOptions()
            options.isProgressive = true
            let source = try await codec.encode(fourCorners(80, 60), as: .jpeg, options: options)
            let preview = try #require(try await codec.preview(of: source, Self.transform([.circle])))
            #expect(preview.size.width == preview.size.height && preview.rgba[3] == 0)
        }
    }

    @Test func `a step keeps the name that it had when it was added`() {
        final class Renamed: ImageProcessing {
            private let calls = Guarded(0)
            var identifier: String {
                calls.withLock { calls in
                    calls += 1
                    return "\(calls)"
                }
            }

            func process(_ bitmap: Bitmap) -> Bitmap { bitmap }
        }
        let transform = Self.transform([Renamed()])
        #expect(transform.processorNames == transform.processorNames)
    }
}
