import CalotypeCore

/// Lays rows out as the pixels of a bitmap.
final class BitmapRows {
    private let size: PixelSize
    private let model: SampleLayout.Model
    private var rgba: [UInt8] = []

    init(_ size: PixelSize, _ model: SampleLayout.Model) {
        self.size = size
        self.model = model
        rgba.reserveCapacity(size.pixelCount * 4)
    }

    /// Takes the next row.
    func write(_ row: Span<UInt8>) {
        let channels = model.channels
        for pixel in stride(from: 0, to: row.count, by: channels) {
            let isGrey = channels < 3
            rgba.append(row[pixel])
            rgba.append(row[isGrey ? pixel : pixel + 1])
            rgba.append(row[isGrey ? pixel : pixel + 2])
            rgba.append(model.hasAlpha ? row[pixel + channels - 1] : 255)
        }
    }

    /// The pixels, when all rows were written.
    func bitmap() -> Bitmap {
        Bitmap(size: size, rgba: rgba)
    }
}
