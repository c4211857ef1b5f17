import CalotypeCodec
import CalotypeCore
import CalotypeStore

/// Which bitmap may stand in for a smaller one of the same source: the rules, without the cache.
enum LargerBitmaps {
    /// Whether a bitmap of `size`, made by `made`, will do where `wanted` is asked for.
    ///
    /// A pixel too few each way makes no difference, because sizes are rounded.
    static func serves(_ wanted: Transform, _ made: Transform, size: PixelSize) -> Bool {
        // Edits that are the same at one size are not at another.
        guard wanted.edits == .none, made.edits == .none, hasWholeBox(wanted), hasWholeBox(made) else {
            return false
        }
        return switch (wanted.mode, made.mode) {
        case (.none, .none): true
        case (.none, .fit): hasAllPixels(made, size)
        case (.fit, .none), (.fit, .fit):
            // The whole source at its own scale is what a box that does not enlarge asks for at most.
            hasAllPixels(made, size) && !wanted.enlarges
                || covers(made, size, whateverFits: wanted.box)
        case (.fill, .fill):
            haveOneAspect(wanted.box, made.box)
                && (hasAllPixels(made, size) && !wanted.enlarges || covers(size, wanted.box))
        case (.stretch, .stretch):
            haveOneAspect(wanted.box, made.box) && covers(size, wanted.box)
        default: false
        }
    }

    /// Whether the picture's size follows from the box as far as the rules go: no side is left open, and what is stretched
    /// is as large as the box.
    private static func hasWholeBox(_ transform: Transform) -> Bool {
        switch transform.mode {
        case .none: true
        case .stretch: transform.enlarges && min(transform.box.width, transform.box.height) > 0
        case .fit, .fill, .fillPartly, .auto: min(transform.box.width, transform.box.height) > 0
        }
    }

    /// Whether the bitmap has the source's own scale, so that there is nothing larger.
    ///
    /// What was scaled has the box's width or height when it was fitted, and both when it was filled.
    private static func hasAllPixels(_ made: Transform, _ size: PixelSize) -> Bool {
        switch made.mode {
        case .none: true
        case .fit: size.width < made.box.width && size.height < made.box.height
        case .fill, .fillPartly, .auto: size != made.box
        case .stretch: false
        }
    }

    private static func covers(_ size: PixelSize, _ wanted: PixelSize) -> Bool {
        size.width + 1 >= wanted.width && size.height + 1 >= wanted.height
    }

    /// Whether it is as large as what its source becomes in another box.
    private static func covers(_ made: Transform, _ size: PixelSize, whateverFits box: PixelSize) -> Bool {
        let isScaled = !hasAllPixels(made, size)
        if isScaled, box.width <= made.box.width, box.height <= made.box.height { return true }
        let fit = Transform.fit(box.width, box.height, enlarges: true)
        let sources = isScaled ? extremes(made, size) : [size]
        return sources.allSatisfy { covers(size, Geometry(fit, of: $0).output) }
    }

    /// The extreme aspect ratios that the source may have, as sizes: the edge that the box did not set was rounded.
    private static func extremes(_ made: Transform, _ size: PixelSize) -> [PixelSize] {
        let (width, height) = (2 * size.width, 2 * size.height)
        var extremes: [PixelSize] = []
        for change in [-1, 1] {
            if size.width == made.box.width {
                extremes.append(PixelSize(width: width, height: height + change))
            }
            if size.height == made.box.height {
                extremes.append(PixelSize(width: width + change, height: height))
            }
        }
        return extremes
    }

    /// Whether `made`, scaled to the width or height of `wanted`, is `wanted` to the nearest pixel.
    private static func haveOneAspect(_ wanted: PixelSize, _ made: PixelSize) -> Bool {
        let difference = abs(wanted.width * made.height - made.width * wanted.height)
        return 2 * difference <= max(made.width, made.height)
    }
}

extension KeptPictures {
    /// The smallest bitmap in memory that will do in place of the one of `key`, which was looked for and not found.
    func larger(_ key: RenditionKey, where isUsable: (Picture) -> Bool) -> Picture? {
        guard key.isStorable, key.cachePolicy.reads, case .pixels(let wanted) = key.spec else { return nil }
        let candidates = memory.members(of: RenditionKey.family(of: key.sourceIdentity)).filter { entry in
            guard case .pixels(let made) = entry.key.spec, entry.key == key.stored(as: entry.key.spec) else {
                return false
            }
            let size = entry.value.bitmap.size
            return LargerBitmaps.serves(wanted, made, size: size) && isUsable(entry.value)
        }
        let smallest = candidates.min { $0.value.byteCount < $1.value.byteCount }
        return smallest.flatMap { memory.valueInstead(for: $0.key) }
    }
}
