import CalotypeCore

/// Lays rows with alpha on a colour.
struct Ground {
    /// What the samples of the rows that come out mean: without alpha, grey only on a ground of grey.
    let model: SampleLayout.Model

    private let channels: Int
    /// The ground's level for each channel that comes out.
    private let levels: [UInt32]
    /// Whether the one sample of a grey pixel becomes three.
    private let spreads: Bool
    private var laid: [UInt8]

    /// Prepares for rows of `width` pixels of `model`, which has alpha.
    init(_ colour: Colour, width: Int, _ model: SampleLayout.Model) {
        let isGrey = colour.red == colour.green && colour.green == colour.blue
        channels = model.channels
        spreads = channels == 2 && !isGrey
        self.model = channels == 2 && isGrey ? .grey : .rgb
        levels = [colour.red, colour.green, colour.blue].prefix(self.model.channels).map(UInt32.init)
        laid = [UInt8](repeating: 0, count: width * levels.count)
    }

    /// `row` without its alpha, until the next one is laid.
    mutating func laid(_ row: Span<UInt8>) -> [UInt8] {
        let (channels, pixels, made, spreads) = (channels, row.count / channels, levels.count, spreads)
        precondition(laid.count == pixels * made, "a row of another width")
        // Checked above, once a row.
        unsafe laid.withUnsafeMutableBufferPointer { laid in
            unsafe row.withUnsafeBufferPointer { row in
                for pixel in 0..<pixels {
                    let alpha = unsafe UInt32(row[pixel * channels + channels - 1])
                    for channel in 0..<made {
                        let sample = unsafe UInt32(row[pixel * channels + (spreads ? 0 : channel)])
                        let sum = sample * alpha + levels[channel] * (255 - alpha) + 127
                        unsafe laid[pixel * made + channel] = UInt8(truncatingIfNeeded: sum / 255)
                    }
                }
            }
        }
        return laid
    }
}
