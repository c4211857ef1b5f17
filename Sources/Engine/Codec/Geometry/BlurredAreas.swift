import CalotypeCore

/// The pixels to blur, with the numbers of img2dataset (1.47, blurrer.py), which has them from the faces of
/// ImageNet (https://github.com/princetonvisualai/imagenet-face-obfuscation).
struct BlurredAreas {
    /// How much an area grows in each direction, and the deviation of the blur, as fractions of a longer side.
    private static let share = 0.1

    /// The areas of the picture as stored, grown, and cut to the picture.
    let areas: [PixelArea]
    /// The standard deviation of the blur in pixels; 0 if there is nothing to blur.
    let deviation: Double

    init(_ areas: [RelativeArea], _ standing: Standing) {
        let (size, stored) = (standing.size, standing.orientation)
        var longest = 0
        self.areas = areas.map { area in
            // Like Python's int, this rounds towards 0.
            let x = (Int(area.x.lowerBound * Double(size.width)), Int(area.x.upperBound * Double(size.width)))
            let y = (
                Int(area.y.lowerBound * Double(size.height)), Int(area.y.upperBound * Double(size.height))
            )
            let side = max(x.1 - x.0, y.1 - y.0)
            longest = max(longest, side)
            let (across, down) = (
                Self.grown(x, by: side, most: size.width), Self.grown(y, by: side, most: size.height)
            )
            return PixelArea(
                left: across.lowerBound,
                top: down.lowerBound,
                size: PixelSize(width: across.count, height: down.count)
            ).stored(in: size, orientation: stored)
        }
        deviation = Self.share * Double(longest)
    }

    private static func grown(_ side: (Int, Int), by length: Int, most: Int) -> Range<Int> {
        let more = share * Double(length)
        let (start, end) = (Int(Double(side.0) - more), Int(Double(side.1) + more))
        // img2dataset stops at the last pixel but one.
        return min(max(start, 0), most)..<min(max(end, 0), most)
    }
}
