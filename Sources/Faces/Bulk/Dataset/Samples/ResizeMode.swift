internal import CalotypeCore

/// How a picture relates to a square box, as in img2dataset.
public enum ResizeMode: String, CaseIterable, Sendable {
    /// The picture at its own size.
    case no
    /// The whole picture in the middle of the box, on white.
    case border
    /// The shorter side as long as the box.
    case keepRatio = "keep_ratio"
    /// The longer side as long as the box.
    case keepRatioLargest = "keep_ratio_largest"
    /// The box filled, and the rest cut off.
    case centerCrop = "center_crop"

    /// Whether the shorter side decides the scale.
    private var followsShorterSide: Bool { self == .keepRatio || self == .centerCrop }

    /// Returns the transform of a picture of `size` for a box whose sides are `side` long.
    ///
    /// The sides are rounded as albumentations 1 does, which img2dataset uses: the nearest number, halves to
    /// the even one.
    ///
    /// - Parameters:
    ///   - size: The size of the picture.
    ///   - side: The side of the box.
    ///   - onlyIfBigger: Whether to leave a picture unchanged that is not larger than the box.
    /// - Returns: The transform, with paddings for a border.
    /// - Throws: `encode_failed` if a side would be longer than 65,535.
    func transform(
        of size: PixelSize,
        side: Int,
        onlyIfBigger: Bool
    ) throws(CalotypeError) -> Transform {
        let sides = (size.width, size.height)
        let leading = followsShorterSide ? min(sides.0, sides.1) : max(sides.0, sides.1)
        guard self != .no, !onlyIfBigger || leading > side else { return .none }
        let scale = Double(side) / Double(leading)
        let width = Self.rounded(Double(size.width) * scale)
        let height = Self.rounded(Double(size.height) * scale)
        guard max(width, height) <= 65_535 else {
            // Its ends are cut off anyway.
            if self == .centerCrop { return .fill(side, side, enlarges: true) }
            throw CalotypeError(
                .encodeFailed,
                "the image is \(size) and would become \(width)×\(height); the limit is 65,535",
                stage: .encode
            )
        }
        let scaled = Transform.stretch(width, height)
        var edits = PictureEdits()
        if self == .centerCrop {
            edits.middle = PixelSize(width: side, height: side)
            return scaled.edited(edits)
        }
        guard self == .border else { return scaled }
        let (left, top) = ((side - width) / 2, (side - height) / 2)
        edits.padding = Padding(
            top: top,
            right: side - width - left,
            bottom: side - height - top,
            left: left
        )
        return scaled.edited(edits)
    }

    private static func rounded(_ side: Double) -> Int {
        Int(min(max(side.rounded(.toNearestOrEven), 1), 1e9))
    }
}
