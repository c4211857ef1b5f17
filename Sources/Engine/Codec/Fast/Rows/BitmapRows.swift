import CalotypeCore

/// Lays rows out as the pixels of a bitmap.
final class BitmapRows {
    private let size: PixelSize
    private let model: SampleLayout.Model
    private var rgba: [UInt8]
    private var filled = 0

    init(_ size: PixelSize, _ model: SampleLayout.Model) {
        self.size = size
        self.model = model
        rgba = [UInt8](repeating: 255, count: size.pixelCount * 4)
    }

    /// Takes the next row.
    func write(_ row: Span<UInt8>) {
        let (channels, hasAlpha) = (model.channels, model.hasAlpha)
        let (green, blue) = channels < 3 ? (0, 0) : (1, 2)
        let (start, end) = (filled, filled + size.width * 4)
        precondition(end <= rgba.count && row.count == size.width * channels, "a row too many or too long")
        // Checked above, once a row: checked at each sample it would take three times as long.
        unsafe rgba.withUnsafeMutableBufferPointer { rgba in
            unsafe row.withUnsafeBufferPointer { row in
                var from = 0
                for to in stride(from: start, to: end, by: 4) {
                    unsafe rgba[to] = row[from]
                    unsafe rgba[to + 1] = row[from + green]
                    unsafe rgba[to + 2] = row[from + blue]
                    if hasAlpha { unsafe rgba[to + 3] = row[from + channels - 1] }
                    from += channels
                }
            }
        }
        filled = end
    }

    /// The pixels, when all rows were written.
    func bitmap() -> Bitmap {
        Bitmap(size: size, rgba: rgba)
    }
}
