import CalotypeCore
import CalotypeFiles
import TaskFlow
import Testing

@testable import CalotypeCodec

/// Jobs and answers as bytes.
struct WorkerRecordTests {
    /// Edits none of which is what it is by default.
    private static var edits: PictureEdits {
        var edits = PictureEdits()
        edits.frame = -3
        edits.mostFrames = 7
        edits.trim = BorderTrim(
            threshold: 1.5,
            colour: Colour(red: 1, green: 2, blue: 3),
            isEqualHorizontally: true,
            isEqualVertically: true
        )
        edits.crop = CropArea(width: 0.25, height: 12, gravity: .place(.northWest, x: -0.5, y: 7))
        edits.gravity = .focus(x: 0.1, y: 0.9)
        edits.least = PixelSize(width: 3, height: 4)
        edits.middle = PixelSize(width: 5, height: 6)
        edits.zoom = ScaleFactors(1.5, 2.5)
        edits.pixelRatio = 3
        edits.ignoresOrientation = true
        edits.quarterTurns = 3
        edits.flipsHorizontally = true
        edits.flipsVertically = true
        edits.blur = 0.5
        edits.sharpen = 0.75
        edits.pixelation = 8
        edits.blurredAreas = [RelativeArea(left: 0.1, top: 0, right: 0.5, bottom: 1)].compactMap(\.self)
        edits.extended = .attention
        edits.extendedToAspectRatio = .place(.south, x: 1, y: -1)
        edits.padding = Padding(top: 1, right: 2, bottom: 3, left: 4)
        edits.background = .white
        let picture = EncodedPicture(name: "mark", bytes: [1, 2, 3])
        edits.watermark = Watermark(picture, opacity: 0.5, position: .tiled(x: 4, y: -5), scale: 0.25)
        edits.mostSide = 9
        edits.mostBytes = ByteCount(10_000)
        edits.kept = [.profile, .copyright]
        return edits
    }

    private static var specs: [PictureSpec] {
        let modes: [Transform.Mode] = [.none, .fit, .fill, .stretch, .fillPartly, .auto]
        let outputs: [OutputFormat] = [
            .jpeg(quality: 1), .png, .webp(quality: 2), .avif(quality: 3), .original(quality: 4),
            .heic(quality: 5), .gif, .tiff, .progressiveJPEG(quality: 6), .losslessWebP,
            .jxl(quality: 7), .png16,
        ]
        let transforms = modes.map { mode in
            Transform(mode: mode, box: PixelSize(width: 7, height: 65_535), enlarges: mode == .fill)
                .effort(.best).inLinearLight().edited(edits)
        }
        return transforms.map { .pixels($0) }
            + outputs.map { .encoded(RenditionSpec(transforms[1].deep($0 == .png16), $0)) } + [.pixels(.none)]
    }

    private static var facts: ImageFacts {
        ImageFacts(
            format: .heic,
            storedSize: PixelSize(width: 70_000, height: 3),
            orientation: 7,
            frames: nil,
            needsWholePicture: true,
            hasAlpha: true,
            bitDepth: 16,
            profile: "P3"
        )
    }

    private static var limits: ImageLimits {
        var limits = ImageLimits()
        limits.sourceBytes = ByteCount(5)
        limits.pixels = 6
        limits.streamedPixels = 7
        limits.decodeTime = .milliseconds(1_234)
        limits.acceptsTruncated = true
        return limits
    }

    private static func job(_ specs: [PictureSpec]) -> WorkerJob {
        WorkerJob(
            work: .pictures(specs, facts, isCut: true, limits, .libvips(reason: "why")),
            memory: 11,
            responseBytes: 12,
            computingSeconds: 13
        )
    }

    @Test func `no edit is what it is by default, so that one that is forgotten is seen`() {
        let fields = zip(Mirror(reflecting: Self.edits).children, Mirror(reflecting: PictureEdits()).children)
        for (changed, usual) in fields {
            #expect("\(changed.value)" != "\(usual.value)", "\(changed.label ?? "?") is not tried")
        }
    }

    @Test func `a job for pictures is read as it was written`() throws {
        let job = try WorkerJob(record: Self.job(Self.specs).record)
        #expect(job.memory == 11)
        #expect(job.responseBytes == 12)
        #expect(job.computingSeconds == 13)
        guard case .pictures(let specs, let facts, let isCut, let limits, let decoder) = job.work else {
            Issue.record("the job is another")
            return
        }
        #expect(specs == Self.specs)
        #expect(facts == Self.facts)
        #expect(isCut)
        #expect(limits == Self.limits)
        #expect(decoder == .libvips(reason: "why"))
        // Pictures of one name are taken for the same, whatever their bytes.
        #expect(specs[0].transform.edits.watermark?.picture.bytes == [1, 2, 3])
        #expect("\(specs)" == "\(Self.specs)")
    }

    @Test func `a job for a bitmap is read as it was written`() throws {
        var options = EncodeOptions()
        options.isProgressive = true
        options.subsampling = .none
        options.isLossless = true
        options.usesPalette = true
        let encodings: [BitmapEncoding] = [
            .output(.webp(quality: 5)), .library(.tiff, quality: 6, options),
        ]
        for encoding in encodings {
            let size = PixelSize(width: 3, height: 4)
            let job = WorkerJob(
                work: .encoding(size, encoding),
                memory: 1,
                responseBytes: 2,
                computingSeconds: 3
            )
            let record = job.record
            guard case .encoding(let readSize, let read) = try WorkerJob(record: record).work else {
                Issue.record("the job is another")
                return
            }
            #expect(readSize == size)
            #expect(read == encoding)
        }
    }

    @Test func `a damaged job is refused or read as another, and never a trap`() {
        // One of pixels, one of an encoding: all others are read alike, and time grows with the square of the length.
        let record = Self.job([Self.specs[0], Self.specs[6]]).record
        var random = SplitMix64(seed: 1)
        for length in 0..<record.count {
            let isRead = (try? WorkerJob(record: Array(record.prefix(length)))) != nil
            #expect(!isRead, "\(length) bytes")
        }
        for _ in 0..<2_000 {
            var record = record
            record[Int.random(in: 0..<record.count, using: &random)] = .random(in: 0...255, using: &random)
            _ = try? WorkerJob(record: record)
        }
    }

    // MARK: Answers, which may be anything

    private static let picture = WorkerResponse.Picture(
        format: .jpeg,
        bytes: 5..<25,
        size: PixelSize(width: 2, height: 3),
        isPartial: true,
        decoding: .milliseconds(12),
        encoding: .nanoseconds(34)
    )

    private static func order(_ specs: [PictureSpec]) -> WorkerRequest {
        let facts = ImageFacts(format: .png, storedSize: PixelSize(width: 10, height: 10))
        return WorkerRequest(
            work: .pictures(specs, facts, isCut: false, ImageLimits(), .fast),
            source: .memory([1, 2, 3]),
            estimate: 0
        )
    }

    private static func outcome(
        _ picture: WorkerResponse.Picture,
        for spec: PictureSpec
    ) throws -> Result<CodedPicture, CalotypeError> {
        let record = WorkerResponse.pictures([.success(picture)]).record
        let outcomes = try order([spec]).outcomes(record) { [UInt8](repeating: 9, count: $0.count) }
        return try outcomes.get()[0]
    }

    @Test func `a response is read as it was written`() throws {
        let made = try Self.outcome(Self.picture, for: .small).get()
        guard case .encoded(let bytes, .jpeg) = made.content else {
            Issue.record("no JPEG: \(made.content)")
            return
        }
        #expect(bytes.count == 20)
        #expect(made.size == Self.picture.size)
        #expect(made.isPartial)
        #expect(made.decoding == .milliseconds(12))
        #expect(made.encoding == .nanoseconds(34))
    }

    @Test(arguments: [
        PixelSize(width: 0, height: 3), PixelSize(width: -2, height: -3),
        PixelSize(width: .max, height: .max),
        PixelSize(width: 100_001, height: 1_000),
    ])
    func `a picture of no size, or more pixels than allowed, is refused`(_ size: PixelSize) {
        var picture = Self.picture
        picture.size = size
        #expect(throws: CodecError.self) { try Self.outcome(picture, for: .small) }
    }

    @Test func `a picture with too many bytes, or not those of its pixels, is refused`() {
        var picture = Self.picture
        picture.bytes = 0..<2 << 20
        #expect(throws: CodecError.self) { try Self.outcome(picture, for: .small) }
        picture.format = nil
        picture.bytes = 0..<23
        #expect(throws: CodecError.self) { try Self.outcome(picture, for: .pixels(.none)) }
    }

    @Test func `pixels for an encoded picture, and the reverse, are refused`() throws {
        var picture = Self.picture
        #expect(throws: CodecError.self) { try Self.outcome(picture, for: .pixels(.none)) }
        picture.format = nil
        picture.bytes = 0..<24
        #expect(throws: CodecError.self) { try Self.outcome(picture, for: .small) }
        #expect(try Self.outcome(picture, for: .pixels(.none)).get().size == picture.size)
    }

    @Test func `a response with more or fewer pictures than requested is refused`() {
        let record = WorkerResponse.pictures([.success(Self.picture), .success(Self.picture)]).record
        for specs in [[PictureSpec.small], [], [.small, .small, .small]] {
            #expect(throws: CodecError.self) { try Self.order(specs).outcomes(record) { _ in [] } }
        }
    }

    @Test func `errors keep their word, message and stage, and others than words are refused`() throws {
        let error = CalotypeError(.corruptImage, String(repeating: "é", count: 5_000), stage: .decode)
        let read = try WorkerResponse(record: WorkerResponse.failure(error).record, count: 1)
        guard case .failure(let read) = read else {
            Issue.record("no failure: \(read)")
            return
        }
        #expect(read.code == .corruptImage)
        #expect(read.stage == .decode)
        #expect(read.message.utf8.count <= 4_004)
        for word in ["", "Two Words", "a\nb", String(repeating: "a", count: 65)] {
            let error = CalotypeError(ErrorCode(rawValue: word), "m", stage: .decode)
            let record = WorkerResponse.failure(error).record
            #expect(throws: SystemError.notARecord) { try WorkerResponse(record: record, count: 1) }
        }
    }

    @Test func `any bytes as a response are rejected or read, and never trap`() {
        let order = Self.order([.small, .pixels(.none)])
        let record = WorkerResponse.pictures([
            .success(Self.picture), .failure(CalotypeError(.corruptImage, "m", stage: .decode)),
        ]).record
        var random = SplitMix64(seed: 2)
        for _ in 0..<5_000 {
            var record = record
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                record[Int.random(in: 0..<record.count, using: &random)] = .random(
                    in: 0...255,
                    using: &random
                )
            }
            _ = try? order.outcomes(record) { range in
                #expect(range.count <= 1_200_000_000)
                return []
            }
        }
    }
}

extension Transform {
    /// The transform as the codec settles it for a result with 16 bits a sample, or with 8.
    fileprivate func deep(_ isDeep: Bool) -> Transform {
        var transform = self
        transform.isDeep = isDeep
        return transform
    }
}
