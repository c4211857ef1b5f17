import CalotypeCore

/// The fast way: the rows of one decode go through a resampler for each size straight into the encoders.
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
        _ fast: any FastSource,
        _ conversion: ColourConversion?,
        limits: ImageLimits
    ) {
        self.source = source
        self.fast = fast
        self.conversion = conversion
        self.limits = limits
        plan = FastPlan(specs, of: source.facts, fast)
    }

    var bytes: Int {
        plan.renditions.reduce(fast.decoderBytes(scale: plan.scale)) { sum, rendition in
            sum + FastBudget.bytes(rendition.specs, plan, of: source.facts, model: fast.model)
        }
    }

    func make(_ killSwitch: KillSwitch) throws -> [PictureSpec: Result<MadePicture, CalotypeError>] {
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
    ) throws -> [PictureSpec: Result<MadePicture, CalotypeError>] {
        var pictures: [PictureSpec: Result<MadePicture, CalotypeError>] = [:]
        for rendition in renditions {
            for result in try rendition.finish() {
                pictures[result.spec] = result.content.map { content in
                    MadePicture(
                        content: content,
                        size: rendition.size,
                        isPartial: isPartial,
                        decoding: decoding,
                        encoding: result.encoding
                    )
                }
            }
        }
        return pictures
    }
}
