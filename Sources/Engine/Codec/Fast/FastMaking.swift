import CalotypeCore

/// The fast path: the rows of one decode pass through a resampler for each size straight into the encoders.
struct FastMaking: PictureMaking {
    let decoder = PictureDecoder.fast
    let asksWhetherToStop = true

    private let source: OpenedSource
    private let fast: any FastSource
    private let conversion: ColourConversion?
    private let plan: FastPlan
    private let limits: ImageLimits
    private let clock = ContinuousClock()

    init(
        _ specs: [PictureSpec],
        of source: OpenedSource,
        _ way: FastPath.Way,
        limits: ImageLimits
    ) {
        self.source = source
        (fast, conversion) = way
        self.limits = limits
        plan = FastPlan(specs, of: source.facts, fast)
    }

    var bytes: Int {
        plan.renditions.reduce(fast.decoderBytes(scale: plan.scale)) { sum, rendition in
            sum + FastBudget.bytes(rendition.specs, plan, of: source.facts, model: fast.model)
        }
    }

    func make(_ killSwitch: KillSwitch) throws -> [PictureSpec: Result<CodedPicture, CalotypeError>] {
        let start = clock.now
        let rows = try (plan.isAveraged ? fast.forAveraging : fast).decoder(
            scale: plan.scale,
            acceptsTruncated: limits.acceptsTruncated,
            isCancelled: { killSwitch.isPulled }
        )
        let renditions = try plan.renditions.map { transform, specs in
            try RenditionRows(
                specs,
                transform,
                plan.stored(transform),
                of: rows.layout,
                source,
                conversion,
                killSwitch
            )
        }
        var hasMore = true
        while hasMore {
            try killSwitch.check()
            hasMore = try rows.next { plane, row in
                for rendition in renditions { rendition.take(row, plane: plane) }
            }
        }
        let encoding = renditions.reduce(.zero) { $0 + $1.encoding }
        let decoding = clock.now - start - encoding
        return try pictures(renditions, isPartial: rows.isPartial || source.isCut, decoding)
    }

    private func pictures(
        _ renditions: [RenditionRows],
        isPartial: Bool,
        _ decoding: Duration
    ) throws -> [PictureSpec: Result<CodedPicture, CalotypeError>] {
        var pictures: [PictureSpec: Result<CodedPicture, CalotypeError>] = [:]
        for rendition in renditions {
            for result in try rendition.finish() {
                pictures[result.spec] = result.content.map { content in
                    CodedPicture(
                        content,
                        size: rendition.size,
                        source: source.facts,
                        isPartial: isPartial,
                        decoder: decoder,
                        decoding: decoding,
                        encoding: result.encoding
                    )
                }
            }
        }
        return pictures
    }
}

/// Estimates the memory that the fast path needs besides its decoder.
enum FastBudget {
    /// The bytes for the pictures of `specs`, which share a transform, made from rows of `model`.
    static func bytes(
        _ specs: [PictureSpec],
        _ plan: FastPlan,
        of facts: ImageFacts,
        model: SampleLayout.Model
    ) -> Int {
        guard let transform = specs.first?.transform else { return 0 }
        let stored = plan.stored(transform)
        let resampler = Resampler.bytes(
            .interleaved(model == .videoYCbCr ? .rgb : model, plan.decodedSize)
                .cropped(to: stored.crop, of: stored.whole),
            scaled: stored.scaled,
            kept: stored.kept,
            isLinearLight: transform.isLinearLight
        )
        // The arithmetic must not overflow, whatever the limits allow.
        let pixels = min((stored.canvas?.size ?? stored.kept.size).pixelCount, 1 << 40)
        let turned = stored.orientation > 1 ? pixels * model.channels : 0
        return specs.reduce(resampler + turned) { $0 + pixels * outputBytes($1, facts.format, model) }
    }

    /// The bytes per pixel that an output holds until it is complete.
    private static func outputBytes(
        _ spec: PictureSpec,
        _ source: ImageFormat,
        _ model: SampleLayout.Model
    ) -> Int {
        guard case .encoded(let rendition) = spec else { return 4 }
        let settings = VipsEncoder(rendition.output, source: source)
        // Rows that may be encoded again are held.
        let held = rendition.transform.edits.mostBytes != nil && settings.hasQuality ? model.channels : 0
        return switch settings.format {
        case .jpeg: JPEGEncoder.pixelBytes(model, isProgressive: settings.options.isProgressive) + held
        // Filtered rows, as far as they are held, and their deflated bytes.
        case .png: 2 * model.channels
        case .webp: settings.pixelBytes + held
        case .avif, .gif, .heic, .tiff, .pnm, .jp2, .jxl, .bmp, .tga, .psd, .ico, .svg, .custom:
            8 + settings.pixelBytes
        }
    }
}
