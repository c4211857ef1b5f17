extension Transform {
    private static let sides = 0...65_535

    /// Describes what is out of range, such as "a blur of -1.0: it has to be 0.0 to 1000.0".
    ///
    /// `nil` if everything is within its range.
    package var outOfRange: String? {
        if mode != .none, !Self.sides.contains(box.width) || !Self.sides.contains(box.height) {
            return "a box of \(box), each side of which must be 0 to \(Self.sides.upperBound)"
        }
        if mode != .none, box.width == 0, box.height == 0 {
            return "a box of \(box), at least one side of which must be 1 or more"
        }
        return (edits == .none ? nil : edits.outOfRange) ?? refusedProcessing
    }
}

extension PictureEdits {
    private static let sides = 0...65_535
    private static let factors = 0.0001...1000
    private static let deviations = 0.0...1000

    /// Describes what is out of range.
    package var outOfRange: String? {
        sizeOutOfRange ?? placeOutOfRange ?? filterOutOfRange ?? watermark?.outOfRange
    }

    // Lists, because the compiler takes a second for a chain of ten `??`.
    private var sizeOutOfRange: String? {
        RangeCheck.first([
            RangeCheck.of("a zoom", zoom.x, Self.factors),
            RangeCheck.of("a zoom", zoom.y, Self.factors),
            RangeCheck.of("a pixel ratio", pixelRatio, Self.factors),
            RangeCheck.of("a minimum width", least.width, Self.sides),
            RangeCheck.of("a minimum height", least.height, Self.sides),
            RangeCheck.of("a maximum side", mostSide, 0...Int(Int32.max)),
            RangeCheck.of("quarter turns", quarterTurns, 0...3),
            RangeCheck.of("a frame", frame, 0...100_000),
            RangeCheck.of("a number of frames", mostFrames, 1...Int.max),
            RangeCheck.of("a maximum number of bytes", mostBytes?.bytes ?? 1, 1...Int.max),
        ])
    }

    private var placeOutOfRange: String? {
        let paddings = [padding.top, padding.right, padding.bottom, padding.left]
        let gravities = [gravity, crop?.gravity, extended, extendedToAspectRatio]
        return RangeCheck.first(paddings.map { RangeCheck.of("a padding", $0, Self.sides) })
            ?? RangeCheck.first(gravities.map { $0?.outOfRange })
            ?? RangeCheck.of("a crop", crop?.width ?? 0, 0...1e9)
            ?? RangeCheck.of("a crop", crop?.height ?? 0, 0...1e9)
            ?? (extended == .attention || extendedToAspectRatio == .attention
                ? "an extension by attention, which needs a position" : nil)
    }

    private var filterOutOfRange: String? {
        RangeCheck.first([
            RangeCheck.of("a blur", blur, Self.deviations),
            RangeCheck.of("a sharpening", sharpen, Self.deviations),
            RangeCheck.of("a pixelation", pixelation, Self.sides),
            RangeCheck.of("a number of blurred areas", blurredAreas.count, 0...1000),
            RangeCheck.of("a trim with a threshold", trim?.threshold ?? 0, 0...255),
        ])
    }
}

extension Gravity {
    fileprivate var outOfRange: String? {
        switch self {
        case .attention: nil
        case .place(_, let x, let y):
            RangeCheck.of("an offset", x, RangeCheck.offsets)
                ?? RangeCheck.of("an offset", y, RangeCheck.offsets)
        case .focus(let x, let y):
            RangeCheck.of("a focus point", x, 0...1) ?? RangeCheck.of("a focus point", y, 0...1)
        }
    }
}

extension Watermark {
    fileprivate var outOfRange: String? {
        let place =
            switch position {
            case .once(.attention): "a watermark by attention, which needs a position" as String?
            case .once(let gravity): gravity.outOfRange
            case .tiled(let x, let y):
                RangeCheck.of("a space", x, RangeCheck.offsets)
                    ?? RangeCheck.of("a space", y, RangeCheck.offsets)
            }
        return place ?? RangeCheck.of("an opacity", opacity, 0...1)
            ?? RangeCheck.of("a watermark's scale", scale, 0...100)
    }
}

/// Describes values out of range.
///
/// NaN is out of every range.
private enum RangeCheck {
    static let offsets = -1e6...1e6

    static func of<Value: Comparable>(_ name: String, _ value: Value, _ range: ClosedRange<Value>) -> String?
    {
        range.contains(value)
            ? nil : "\(name) of \(value), which must be \(range.lowerBound) to \(range.upperBound)"
    }

    static func first(_ findings: [String?]) -> String? {
        findings.lazy.compactMap(\.self).first
    }
}
