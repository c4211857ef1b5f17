import CalotypeCodec
import CalotypeCore
import CalotypeStore

/// The rules for using a bitmap in place of a smaller one of the same source.
enum LargerBitmaps {
    /// Whether a bitmap of `size`, made with the transform `made`, can be used for the transform `wanted`.
    ///
    /// It may lack one pixel each way, because sizes are rounded.
    static func serves(_ wanted: Transform, _ made: Transform, size: PixelSize) -> Bool {
        // Equal edits at different sizes have different results.
        guard wanted.edits == .none, made.edits == .none, wanted.processors.isEmpty, made.processors.isEmpty,
            hasWholeBox(wanted), hasWholeBox(made)
        else {
            return false
        }
        return switch (wanted.mode, made.mode) {
        case (.none, .none): true
        case (.none, .fit): hasAllPixels(made, size)
        case (.fit, .none), (.fit, .fit):
            // Without enlarging, the whole source at its own scale is the most that a box can get.
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

    /// Whether the box alone determines the picture's size.
    ///
    /// No side may be open, and a stretched picture must fill the box.
    private static func hasWholeBox(_ transform: Transform) -> Bool {
        switch transform.mode {
        case .none: true
        case .stretch: transform.enlarges && min(transform.box.width, transform.box.height) > 0
        case .fit, .fill, .fillPartly, .auto: min(transform.box.width, transform.box.height) > 0
        }
    }

    /// Whether the bitmap has the source's own scale, so that no larger one exists.
    ///
    /// A scaled bitmap has the width or the height of its box if it was fitted, and both if it was filled.
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

    /// Whether it is at least as large as its source becomes in another box.
    private static func covers(_ made: Transform, _ size: PixelSize, whateverFits box: PixelSize) -> Bool {
        let isScaled = !hasAllPixels(made, size)
        if isScaled, box.width <= made.box.width, box.height <= made.box.height { return true }
        let fit = Transform.fit(box.width, box.height, enlarges: true)
        let sources = isScaled ? extremes(made, size) : [size]
        return sources.allSatisfy { covers(size, Geometry(fit, of: $0).output) }
    }

    /// The extreme aspect ratios of the source, as sizes: the side that the box did not determine was rounded.
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

extension StoredPictures {
    /// Returns the smallest bitmap in memory that can be used for `key`, after a miss for `key` itself.
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
