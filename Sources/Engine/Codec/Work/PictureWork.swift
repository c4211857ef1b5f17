import CalotypeCore

/// The pictures of one call: those that need no pixels, and a decode that the others share.
struct PictureWork {
    /// The time spent waiting for the core and the memory.
    var queued = Duration.zero
    /// The decode for the specs that need pixels; `nil` if none does.
    private(set) var making: (any PictureMaking)?

    private let source: OpenedSource
    /// The source with its kept metadata, for specs that change nothing else, unless that needs pixels.
    private var stripped: [KeptMetadata: [UInt8]] = [:]
    /// The errors of specs that were not decoded; a spec without an error here gets the stripped source.
    private var refused: [PictureSpec: CalotypeError] = [:]
    private var made: [PictureSpec: Result<CodedPicture, CalotypeError>] = [:]

    /// Sorts `specs` by what they need from `opened`, and chooses the decoder.
    ///
    /// - Throws: `corrupt_image`, `truncated_image`, `file_not_readable`.
    init(
        _ specs: [PictureSpec],
        of opened: OpenedSource,
        limits: ImageLimits,
        by decoders: DecoderChoice
    ) throws(CalotypeError) {
        source = opened
        let settled = specs.map { $0.settled(for: opened.facts) }
        for spec in settled where spec.leavesPixels(of: opened.facts) {
            let kept = spec.transform.edits.kept
            if stripped[kept] == nil { stripped[kept] = try LosslessStripping.stripped(opened, kept) }
        }
        var rendered: [PictureSpec] = []
        var seen: Set<PictureSpec> = []
        for spec in settled where seen.insert(spec).inserted {
            do throws(CalotypeError) {
                if try needsPixels(spec, limits) { rendered.append(spec) }
            } catch {
                refused[spec] = error
            }
        }
        if !rendered.isEmpty { making = try decoders.making(rendered, of: opened, limits: limits) }
    }

    /// Decodes and encodes.
    ///
    /// - Throws: The errors of ``PictureMaking/make(_:)``.
    mutating func run(_ killSwitch: KillSwitch) throws {
        if let making { made = try making.make(killSwitch) }
    }

    /// Returns the result for `spec`.
    func outcome(_ spec: PictureSpec) -> Result<CodedPicture, CalotypeError> {
        let spec = spec.settled(for: source.facts)
        if let error = refused[spec] { return .failure(error) }
        if let made = made[spec] { return made.map { $0.queued(queued) } }
        guard let stripped = stripped[spec.transform.edits.kept] else {
            preconditionFailure("no outcome for \(spec)")
        }
        return .success(
            CodedPicture(
                .encoded(stripped, source.facts.format),
                size: source.facts.size,
                source: source.facts,
                isVerbatim: true,
                queued: queued
            )
        )
    }

    private func needsPixels(_ spec: PictureSpec, _ limits: ImageLimits) throws(CalotypeError) -> Bool {
        try spec.validate()
        let isStripped = stripped[spec.transform.edits.kept] != nil
        guard !isStripped || !spec.leavesPixels(of: source.facts) else { return false }
        try spec.transform.check(source.facts, limits)
        return true
    }
}

extension Transform {
    /// Returns the transform for a source of `format`: a drawing has any size.
    fileprivate func settled(for format: ImageFormat) -> Transform {
        guard format == .svg else { return self }
        var transform = self
        transform.enlarges = true
        return transform
    }

    /// Returns the transform without the further frames of an animation.
    fileprivate var still: Transform { with(frames: 1) }

    /// Returns the transform with as many frames as a source with these `facts` has for it.
    fileprivate func withFrames(of facts: ImageFacts) -> Transform {
        with(frames: max(1, min(edits.mostFrames, facts.animationFrames - edits.frame)))
    }

    /// The transform for a result that cannot hold a colour profile: its colours are converted to sRGB.
    fileprivate var withoutProfile: Transform {
        guard edits.kept.contains(.profile) else { return self }
        var transform = self
        transform.edits.kept.remove(.profile)
        return transform
    }

    private func with(frames: Int) -> Transform {
        guard frames != edits.mostFrames else { return self }
        var transform = self
        transform.edits.mostFrames = frames
        return transform
    }
}

extension ImageFormat {
    /// Whether animations are read and written in the format.
    fileprivate var isAnimated: Bool { self == .gif || self == .webp }
}

extension OutputFormat {
    /// The format of a source, or another one if pictures are not written in it, or few programs show it.
    static func original(of format: ImageFormat, quality: Int, needsAlpha: Bool) -> OutputFormat {
        guard format.isOnlyRead || format.needsWorker else { return .original(quality: quality) }
        let isPhoto = format == .jp2 || format == .jxl
        return isPhoto && !needsAlpha ? .jpeg(quality: quality) : .png
    }
}

extension CodedPicture {
    fileprivate func queued(_ time: Duration) -> CodedPicture {
        var picture = self
        picture.queued = time
        return picture
    }
}

extension PictureSpec {
    /// The size of the result for a picture with these `facts`.
    func size(of facts: ImageFacts) -> PixelSize {
        Geometry(transform, of: facts).output
    }

    /// Returns the spec with a definite format.
    ///
    /// If none was named, that is the format that suits a source with these `facts`.
    func settled(for facts: ImageFacts) -> PictureSpec {
        switch self {
        case .pixels(let transform): return .pixels(transform.settled(for: facts.format).still.withoutProfile)
        case .encoded(var spec):
            spec.transform = spec.transform.settled(for: facts.format).withFrames(of: facts)
            switch spec.output {
            case .suited(let rule): spec.output = rule.output(spec.transform, of: facts)
            // An animated PNG can be read, but not written.
            case .original where facts.format == .png && spec.transform.edits.mostFrames > 1:
                spec.output = .losslessWebP
            // An SVG that is not resized stays an SVG.
            case .original where facts.format == .svg && PictureSpec.encoded(spec).leavesPixels(of: facts):
                break
            case .original(let quality):
                spec.output = .original(of: facts.format, quality: quality, needsAlpha: facts.hasAlpha)
            default: break
            }
            let format = VipsEncoder(spec.output, source: facts.format).format
            if !format.isAnimated { spec.transform = spec.transform.still }
            if format == .gif { spec.transform = spec.transform.withoutProfile }
            spec.transform.isDeep = spec.output == .png16
            return .encoded(spec)
        }
    }

    /// Whether the result is the source without its metadata, unless producing it needs pixels.
    func leavesPixels(of facts: ImageFacts) -> Bool {
        guard case .encoded(let spec) = self, case .original = spec.output else { return false }
        var edits = transform.edits
        edits.kept = []
        if edits.mostFrames == facts.frames { edits.mostFrames = 1 }
        guard edits == .none, facts.format != .tiff else { return false }
        guard facts.orientation == 1 || facts.isTurnedByDecoder else { return false }
        let geometry = Geometry(transform, of: facts.size)
        return geometry.output == facts.size && geometry.scaled == facts.size
    }

    /// The memory for laying out the pixels, if pixels are wanted.
    func bitmapBytes(of facts: ImageFacts) -> Int {
        guard case .pixels = self else { return 0 }
        return VipsBudget.bitmapBytes(size(of: facts))
    }

    /// The memory that the encoder holds besides the pixels, if the result is encoded.
    func encoderBytes(of facts: ImageFacts) -> Int {
        guard case .encoded(let spec) = self, spec.output.customEncoder == nil else { return 0 }
        let pixels = min(size(of: facts).pixelCount, 1 << 40)
        return pixels * VipsEncoder(spec.output, source: facts.format).pixelBytes
    }

    /// Encodes `picture`, or lays out its pixels; `source` is the format of the source picture.
    ///
    /// - Throws: `encode_failed`.
    func content(
        of picture: VipsDecode.Picture,
        source: ImageFormat
    ) throws(CalotypeError) -> CodedPicture.Content {
        switch self {
        case .encoded(let spec):
            let encoder = VipsEncoder(spec.output, source: source)
            let most = spec.transform.edits.mostBytes
            return .encoded(
                try encoder.encode(picture, most: most),
                encoder.format
            )
        case .pixels:
            return .pixels(try Bitmap(picture.image))
        }
    }
}

extension Bitmap {
    /// Lays out the pixels of `picture`, which is in memory.
    fileprivate init(_ picture: VipsImage) throws(CalotypeError) {
        do throws(CodecError) {
            self.init(size: picture.size, rgba: try picture.rgba())
        } catch {
            throw CalotypeError(
                .encodeFailed,
                "the pixels could not be laid out: \(error)",
                stage: .encode,
                cause: error
            )
        }
    }
}
