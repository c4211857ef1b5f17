import CalotypeCore

/// A watermark on its way onto a picture.
struct VipsWatermark {
    private let watermark: Watermark
    private let pixelRatio: Double
    private let limits: ImageLimits
    private let computed: (VipsImage) throws -> VipsImage

    /// - Parameters:
    ///   - watermark: What is laid on.
    ///   - pixelRatio: Pixels of the picture for one of an offset.
    ///   - limits: What the watermark may cost.
    ///   - computed: Computes what is made on the way, and gives it back in memory.
    init(
        _ watermark: Watermark,
        pixelRatio: Double,
        limits: ImageLimits,
        _ computed: @escaping (VipsImage) throws -> VipsImage
    ) {
        self.watermark = watermark
        self.pixelRatio = pixelRatio
        self.limits = limits
        self.computed = computed
    }

    /// `picture` with the watermark on it.
    ///
    /// - Throws: `VipsFailure`; `invalid_request` for a watermark that cannot be decoded.
    func laid(on picture: VipsImage) throws -> VipsImage {
        let mark = try decoded(for: picture.size)
        switch watermark.position {
        case .once(let gravity):
            let place = PixelArea(
                mark.size,
                in: picture.size,
                gravity,
                pixelRatio: pixelRatio,
                mayOverhang: true
            )
            return try picture.covered(by: mark, x: place.left, y: place.top)
        case .tiled(let x, let y):
            let tile = try spaced(mark, pixels(x, picture.size.width), pixels(y, picture.size.height))
            return try picture.covered(by: tile.tiled(picture.size), x: 0, y: 0)
        }
    }

    private func decoded(for picture: PixelSize) throws -> VipsImage {
        do {
            let encoded = EncodedSource.memory(watermark.picture.bytes)
            let facts = try encoded.facts()
            try limits.check(facts)
            let size = size(of: facts, on: picture)
            try limits.check(size, most: limits.pixels)
            let standing = Standing(facts, .none)
            let stored = standing.orientation >= 5 ? size.transposed : size
            return try VipsImage.open(encoded, options: "[access=sequential,fail_on=truncated]") { opened in
                let image = try opened.inIntegers(isWeighted: encoded.isWeighted(facts))
                let upright = try computed(image.resized(to: stored).inSRGB())
                    .upright(from: standing.orientation)
                return try computed(upright.faded(watermark.opacity))
            }
        } catch let error as CalotypeError {
            throw unusable(error.message, error)
        } catch let failure as VipsFailure {
            throw unusable(failure.description, failure)
        }
    }

    /// Its own size, or the largest within its fraction of the picture.
    private func size(of facts: ImageFacts, on picture: PixelSize) -> PixelSize {
        guard watermark.scale > 0 else { return facts.size }
        let box = PixelSize(
            width: Rounding.side(Double(picture.width) * watermark.scale),
            height: Rounding.side(Double(picture.height) * watermark.scale)
        )
        return Geometry(Transform(mode: .fit, box: box, enlarges: true), of: facts.size).output
    }

    private func spaced(_ mark: VipsImage, _ x: Int, _ y: Int) throws -> VipsImage {
        let size = PixelSize(width: max(1, mark.size.width + x), height: max(1, mark.size.height + y))
        guard size != mark.size else { return mark }
        return try computed(mark.laid(on: Geometry.Canvas(size: size, left: x / 2, top: y / 2)))
    }

    private func pixels(_ space: Double, _ side: Int) -> Int {
        Rounding.even(abs(space) >= 1 ? space * pixelRatio : space * Double(side))
    }

    private func unusable(_ reason: String, _ cause: any Error) -> CalotypeError {
        CalotypeError(
            .invalidRequest,
            "the watermark cannot be used: \(reason)",
            stage: .decode,
            cause: cause
        )
    }
}
