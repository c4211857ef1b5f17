extension PictureEdits {
    /// A text that identifies all differences from no edits.
    ///
    /// Different edits have different names. They are stable from version to version, because stores use them
    /// in keys.
    package var name: String {
        (sourceNames + scaleNames + filterNames + groundNames).joined(separator: ", ")
    }

    private var sourceNames: [String] {
        [
            Self.name("frame", frame, unless: 0),
            Self.name("frames", mostFrames, unless: 1),
            trim.map { "trim \($0.name)" },
            blurredAreas.isEmpty ? nil : "blur in " + blurredAreas.map(\.name).joined(separator: " "),
            crop.map { "crop \($0.width) \($0.height)\($0.gravity.map { " \($0.name)" } ?? "")" },
            gravity == .centre ? nil : "gravity \(gravity.name)",
        ].compactMap(\.self)
    }

    private var scaleNames: [String] {
        [
            least.width == 0 && least.height == 0 ? nil : "least \(least)",
            middle.map { "middle \($0)" },
            zoom == ScaleFactors(1, 1) ? nil : "zoom \(zoom.x) \(zoom.y)",
            Self.name("ratio", pixelRatio, unless: 1),
            ignoresOrientation ? "as stored" : nil,
            Self.name("turn", quarterTurns, unless: 0),
            flipsHorizontally ? "flip across" : nil,
            flipsVertically ? "flip down" : nil,
        ].compactMap(\.self)
    }

    private var filterNames: [String] {
        [
            Self.name("blur", blur, unless: 0),
            Self.name("sharpen", sharpen, unless: 0),
            Self.name("pixelate", pixelation, unless: 0),
        ].compactMap(\.self)
    }

    private var groundNames: [String] {
        [
            extended.map { "extend \($0.name)" },
            extendedToAspectRatio.map { "extend to ratio \($0.name)" },
            padding == Padding()
                ? nil : "pad \(padding.top) \(padding.right) \(padding.bottom) \(padding.left)",
            background.map { "on \($0.name)" },
            watermark.map { "under \($0.name)" },
            Self.name("side", mostSide, unless: 0),
            mostBytes.map { "bytes \($0.bytes)" },
            Self.name("keep", kept.rawValue, unless: 0),
        ].compactMap(\.self)
    }

    private static func name<Value: Equatable>(_ word: String, _ value: Value, unless usual: Value) -> String?
    {
        value == usual ? nil : "\(word) \(value)"
    }
}

extension BorderTrim {
    fileprivate var name: String {
        let sides = "\(isEqualHorizontally ? " across" : "")\(isEqualVertically ? " down" : "")"
        return "\(threshold)\(colour.map { " \($0.name)" } ?? "")\(sides)"
    }
}

extension RelativeArea {
    fileprivate var name: String { "\(x.lowerBound)/\(y.lowerBound)/\(x.upperBound)/\(y.upperBound)" }
}

extension Gravity {
    fileprivate var name: String {
        switch self {
        case .place(let place, let x, let y): "\(place.rawValue) \(x) \(y)"
        case .focus(let x, let y): "focus \(x) \(y)"
        case .attention: "attention"
        }
    }
}

extension Colour {
    fileprivate var name: String { "\(red)/\(green)/\(blue)" }
}

extension Watermark {
    fileprivate var name: String {
        let place =
            switch position {
            case .once(let gravity): gravity.name
            case .tiled(let x, let y): "tiled \(x) \(y)"
            }
        // The caller may use any characters in the name, so its length marks where it ends.
        return "\(place) \(opacity) \(scale) \(picture.name.utf8.count):\(picture.name)"
    }
}
