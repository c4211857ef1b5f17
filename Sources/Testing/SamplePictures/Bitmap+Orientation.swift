public import CalotypeCore

extension Bitmap {
    /// Turns the pixels as a camera held in another way would have stored them, so that applying `orientation` undoes it.
    ///
    /// - Parameter orientation: an EXIF orientation, 1 to 8 (TIFF 6.0, tag 274); others change nothing.
    /// - Returns: the turned bitmap; width and height are exchanged from 5 on.
    public func stored(for orientation: Int) -> Bitmap {
        guard (2...8).contains(orientation) else { return self }
        let stored = orientation >= 5 ? size.transposed : size
        let walk = Walk(orientation, over: size)
        var turned = [UInt8](repeating: 0, count: rgba.count)
        var out = 0
        for row in 0..<stored.height {
            var source = walk.start &+ row &* walk.down
            for _ in 0..<stored.width {
                for channel in 0..<4 {
                    turned[out &+ channel] = rgba[source &+ channel]
                }
                out &+= 4
                source &+= walk.right
            }
        }
        return Bitmap(size: stored, rgba: turned)
    }
}

/// How to step through an upright bitmap to read it in stored order; offsets in bytes.
private struct Walk {
    let start: Int
    /// From one stored pixel to the next in its row.
    let right: Int
    /// From one stored row to the next.
    let down: Int

    init(_ orientation: Int, over size: PixelSize) {
        let row = size.width * 4
        // The side of the upright picture at which the first stored row lies, and the one of the first column.
        let fromRight = [2, 3, 6, 7].contains(orientation)
        let fromBottom = [3, 4, 7, 8].contains(orientation)
        let across = fromRight ? -4 : 4
        let along = fromBottom ? -row : row
        start = (fromRight ? row - 4 : 0) + (fromBottom ? row * (size.height - 1) : 0)
        right = orientation >= 5 ? along : across
        down = orientation >= 5 ? across : along
    }
}
