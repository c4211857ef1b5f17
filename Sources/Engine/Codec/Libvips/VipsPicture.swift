import CalotypeCore

/// A transform in progress: from the decoded source to the picture in memory.
///
/// All frames of an animation are cut alike: where their content decides, that of the first frame does.
struct VipsPicture {
    private let transform: Transform
    /// The standing of the source as stored, not shrunk by its loader.
    private let standing: Standing
    private let limits: ImageLimits
    private let killSwitch: KillSwitch
    /// The area within the border of the first frame.
    private var bordered: PixelArea?
    /// The areas of the first frame that draw the eye, of its source and of the scaled picture.
    private var (cropped, kept): (PixelArea?, PixelArea?)

    init(_ transform: Transform, _ standing: Standing, limits: ImageLimits, killSwitch: KillSwitch) {
        self.transform = transform
        self.standing = standing
        self.limits = limits
        self.killSwitch = killSwitch
    }

    /// Makes the picture from `base`, which is in memory if the edits depend on all of it.
    ///
    /// - Throws: `CodecError`; `too_many_pixels`, `invalid_request`; the reason why the switch was pulled.
    mutating func picture(of base: VipsImage) throws -> VipsImage {
        let (trimmed, standing) = try trimmed(transform.isDeep ? base.inSixteenBits() : base)
        let geometry = Geometry(transform, of: standing.size)
        try limits.check(geometry.output, most: limits.pixels)
        let source = try linear(cropped(obscured(trimmed, standing), geometry, standing))
        let scaled = standing.orientation >= 5 ? geometry.scaled.transposed : geometry.scaled
        let cut = try cut(source.resized(to: scaled), geometry, standing)
        return try edited(computed(colours(cut)).upright(from: standing.orientation), geometry)
    }

    private var edits: PictureEdits { transform.edits }

    private func colours(_ image: VipsImage) throws(CodecError) -> VipsImage {
        try image.inSRGB(appliesProfile: appliesProfile(image), isDeep: transform.isDeep)
    }

    private func appliesProfile(_ image: VipsImage) -> Bool {
        !(edits.kept.contains(.profile) && image.hasOwnColours)
    }

    private func linear(_ image: VipsImage) throws(CodecError) -> VipsImage {
        transform.isLinearLight ? try colours(image).inLinearLight() : image
    }

    /// Returns `base` without its uniform border, and its standing.
    private mutating func trimmed(_ base: VipsImage) throws -> (VipsImage, Standing) {
        guard let trim = edits.trim else { return (base, standing) }
        let area = try bordered ?? area(of: base, within: trim)
        bordered = area
        return (try base.cut(to: area), standing.of(area.size))
    }

    /// The area of `base` within its uniform border; all of it if there is none.
    private func area(of base: VipsImage, within border: BorderTrim) throws -> PixelArea {
        let found = try computed(base.inSRGB(appliesProfile: appliesProfile(base))).picture(within: border)
        try killSwitch.guards(base)
        let isTransposed = standing.orientation >= 5
        return (found ?? PixelArea(left: 0, top: 0, size: base.size)).evened(
            in: base.size,
            horizontally: isTransposed ? border.isEqualVertically : border.isEqualHorizontally,
            vertically: isTransposed ? border.isEqualHorizontally : border.isEqualVertically
        )
    }

    /// Returns `image` with the areas to blur blurred, in sRGB.
    private func obscured(_ image: VipsImage, _ standing: Standing) throws -> VipsImage {
        let areas = BlurredAreas(edits.blurredAreas, standing)
        guard areas.deviation > 0 else { return image }
        let plain = try computed(colours(image))
        let mask = try computed(
            VipsImage.mask(of: areas.areas, in: plain.size).blurred(areas.deviation, computed)
        )
        return try computed(plain.blended(with: computed(plain.blurred(areas.deviation, computed)), by: mask))
    }

    private mutating func cropped(
        _ image: VipsImage,
        _ geometry: Geometry,
        _ standing: Standing
    ) throws -> VipsImage {
        let area = geometry.crop.stored(in: standing.size, orientation: standing.orientation)
            .scaled(from: standing.stored, to: image.size)
        guard edits.crop != nil, edits.crop?.gravity ?? edits.gravity == .attention else {
            return try image.cut(to: area)
        }
        let plain = try computed(colours(image))
        let found = try cropped ?? attention(of: plain, area.size)
        cropped = found
        return try plain.cut(to: found)
    }

    /// Returns the kept part of the scaled picture.
    private mutating func cut(
        _ scaled: VipsImage,
        _ geometry: Geometry,
        _ standing: Standing
    ) throws -> VipsImage {
        let area = geometry.kept.stored(in: geometry.scaled, orientation: standing.orientation)
        guard edits.gravity == .attention, geometry.isCut else { return try scaled.cut(to: area) }
        try limits.check(scaled.size, most: limits.pixels)
        let plain = try computed(colours(scaled))
        let found = try kept ?? attention(of: plain, area.size)
        kept = found
        return try plain.cut(to: found)
    }

    /// Returns the area of `size` that draws the eye; `plain` has its final colours.
    private func attention(of plain: VipsImage, _ size: PixelSize) throws -> PixelArea {
        try (transform.isDeep ? computed(plain.inSRGB(appliesProfile: false)) : plain).attention(size)
    }

    /// Applies filters to `upright`, places it on canvases and the ground, and adds the watermark.
    private func edited(_ upright: VipsImage, _ geometry: Geometry) throws -> VipsImage {
        try killSwitch.guards(upright)
        var image = upright
        if edits.blur > 0 { image = try computed(image.blurred(edits.blur, computed)) }
        if edits.sharpen > 0 { image = try computed(image.sharpened(edits.sharpen)) }
        if edits.pixelation > 1 { image = try computed(image.pixelated(edits.pixelation)) }
        for canvas in geometry.canvases { image = try image.laid(on: canvas) }
        if let background = edits.background { image = try image.on(background) }
        if let watermark = edits.watermark {
            let cover = VipsWatermark(
                watermark,
                pixelRatio: geometry.pixelRatio,
                limits: limits,
                killSwitch,
                computed
            )
            image = try cover.laid(on: image)
        }
        return image === upright ? image : try computed(image)
    }

    /// Returns `image` in memory; the switch stops its computation, and then that of images derived from it.
    private func computed(_ image: VipsImage) throws -> VipsImage {
        try killSwitch.guards(image)
        let pixels = try image.inMemory()
        try killSwitch.guards(pixels)
        return pixels
    }
}

extension PixelArea {
    /// The area with equal margins on both sides, the smaller of each pair, in a picture of `size`.
    func evened(in size: PixelSize, horizontally: Bool, vertically: Bool) -> PixelArea {
        var area = self
        if horizontally {
            area.left = min(left, size.width - left - self.size.width)
            area.size.width = size.width - 2 * area.left
        }
        if vertically {
            area.top = min(top, size.height - top - self.size.height)
            area.size.height = size.height - 2 * area.top
        }
        return area
    }
}

/// A watermark that is being applied to a picture.
struct VipsWatermark {
    private let watermark: Watermark
    private let pixelRatio: Double
    private let limits: ImageLimits
    private let killSwitch: KillSwitch
    private let computed: (VipsImage) throws -> VipsImage

    /// Creates a watermark for a picture.
    ///
    /// - Parameters:
    ///   - watermark: The watermark.
    ///   - pixelRatio: The number of picture pixels for one pixel of an offset.
    ///   - limits: The limits for decoding the watermark.
    ///   - killSwitch: Stops the decoding.
    ///   - computed: Computes intermediate images, and returns them in memory.
    init(
        _ watermark: Watermark,
        pixelRatio: Double,
        limits: ImageLimits,
        _ killSwitch: KillSwitch,
        _ computed: @escaping (VipsImage) throws -> VipsImage
    ) {
        self.watermark = watermark
        self.pixelRatio = pixelRatio
        self.limits = limits
        self.killSwitch = killSwitch
        self.computed = computed
    }

    /// Returns `picture` with the watermark on it.
    ///
    /// - Throws: `CodecError`; `invalid_request` for a watermark that cannot be decoded.
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
            let opening = VipsOpening(
                source: OpenedSource(encoded: encoded, facts: facts, isCut: false),
                options: "[access=sequential,fail_on=truncated]",
                drawnSize: stored,
                killSwitch: killSwitch
            )
            return try opening.open { opened in
                let image = try opened.inIntegers(isWeighted: encoded.isWeighted(facts))
                let upright = try computed(image.resized(to: stored).inSRGB())
                    .upright(from: standing.orientation)
                return try computed(upright.faded(watermark.opacity))
            }
        } catch let error as CalotypeError {
            throw unusable(error.message, error)
        } catch let failure as CodecError {
            throw unusable(failure.description, failure)
        }
    }

    /// The watermark's own size, or the largest within its fraction of the picture.
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
