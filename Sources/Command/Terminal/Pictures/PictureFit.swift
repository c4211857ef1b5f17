import CalotypeCore

/// The part of a box that a picture fills in its own aspect ratio.
struct PictureFit: Hashable {
    /// Columns of characters, at least 1.
    let columns: Int
    /// Lines of characters, at least 1.
    let rows: Int
    /// The same area to the pixel.
    let pixels: PixelSize
}

extension PictureBox {
    /// The largest area of the box in the aspect ratio of `picture`, to the nearest whole cell.
    func fit(_ picture: PixelSize) -> PictureFit {
        let (wide, high) = (Double(columns * cellWidthPixels), Double(rows * cellHeightPixels))
        let scale = min(wide / Double(max(picture.width, 1)), high / Double(max(picture.height, 1)))
        let pixels = PixelSize(
            width: min(max(Int((Double(picture.width) * scale).rounded()), 1), columns * cellWidthPixels),
            height: min(max(Int((Double(picture.height) * scale).rounded()), 1), rows * cellHeightPixels)
        )
        return PictureFit(
            columns: Self.cells(pixels.width, cellWidthPixels, most: columns),
            rows: Self.cells(pixels.height, cellHeightPixels, most: rows),
            pixels: pixels
        )
    }

    private static func cells(_ pixels: Int, _ cellPixels: Int, most: Int) -> Int {
        min(max((pixels + cellPixels / 2) / cellPixels, 1), most)
    }
}
