extension Transform {
    private static let sides = 0...65_535

    /// Describes what is out of range, such as "a blur of -1.0: it has to be 0.0 to 1000.0".
    ///
    /// `nil` if everything is within its range.
    package var fault: String? {
        if mode != .none, !Self.sides.contains(box.width) || !Self.sides.contains(box.height) {
            return "a box of \(box), each side of which must be 0 to \(Self.sides.upperBound)"
        }
        if mode != .none, box.width == 0, box.height == 0 {
            return "a box of \(box), at least one side of which must be 1 or more"
        }
        return edits == .none ? nil : edits.fault
    }
}

extension PictureEdits {
    private static let sides = 0...65_535
    private static let factors = 0.0001...1000
    private static let deviations = 0.0...1000

    /// Describes what is out of range.
    package var fault: String? {
        sizeFault ?? placeFault ?? filterFault ?? watermark?.fault
    }

    private var sizeFault: String? {
        Fault.of("a zoom", zoom.x, Self.factors) ?? Fault.of("a zoom", zoom.y, Self.factors)
            ?? Fault.of("a pixel ratio", pixelRatio, Self.factors)
            ?? Fault.of("a minimum width", least.width, Self.sides)
            ?? Fault.of("a minimum height", least.height, Self.sides)
            ?? Fault.of("a maximum side", mostSide, 0...Int(Int32.max))
            ?? Fault.of("quarter turns", quarterTurns, 0...3)
            ?? Fault.of("a frame", frame, 0...100_000)
            ?? Fault.of("a maximum number of bytes", mostBytes?.bytes ?? 1, 1...Int.max)
    }

    private var placeFault: String? {
        let paddings = [padding.top, padding.right, padding.bottom, padding.left]
        let gravities = [gravity, crop?.gravity, extended, extendedToAspectRatio].compactMap(\.self)
        return paddings.lazy.compactMap { Fault.of("a padding", $0, Self.sides) }.first
            ?? gravities.lazy.compactMap(\.fault).first
            ?? crop.flatMap {
                Fault.of("a crop", $0.width, 0...1e9) ?? Fault.of("a crop", $0.height, 0...1e9)
            }
            ?? (extended == .attention || extendedToAspectRatio == .attention
                ? "an extension by attention, which needs a position" : nil)
    }

    private var filterFault: String? {
        Fault.of("a blur", blur, Self.deviations) ?? Fault.of("a sharpening", sharpen, Self.deviations)
            ?? Fault.of("a pixelation", pixelation, Self.sides)
            ?? trim.flatMap { Fault.of("a trim with a threshold", $0.threshold, 0...255) }
    }
}

extension Gravity {
    fileprivate var fault: String? {
        switch self {
        case .attention: nil
        case .place(_, let x, let y):
            Fault.of("an offset", x, Fault.offsets) ?? Fault.of("an offset", y, Fault.offsets)
        case .focus(let x, let y):
            Fault.of("a focus point", x, 0...1) ?? Fault.of("a focus point", y, 0...1)
        }
    }
}

extension Watermark {
    fileprivate var fault: String? {
        let place =
            switch position {
            case .once(.attention): "a watermark by attention, which needs a position" as String?
            case .once(let gravity): gravity.fault
            case .tiled(let x, let y):
                Fault.of("a space", x, Fault.offsets) ?? Fault.of("a space", y, Fault.offsets)
            }
        return place ?? Fault.of("an opacity", opacity, 0...1)
            ?? Fault.of("a watermark's scale", scale, 0...100)
    }
}

/// Describes values out of range.
///
/// NaN is out of every range.
private enum Fault {
    static let offsets = -1e6...1e6

    static func of<Value: Comparable>(_ name: String, _ value: Value, _ range: ClosedRange<Value>) -> String?
    {
        range.contains(value)
            ? nil : "\(name) of \(value), which must be \(range.lowerBound) to \(range.upperBound)"
    }
}
