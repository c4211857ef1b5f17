/// Lays rows with alpha on white.
struct WhiteGround {
    private let channels: Int
    private var laid: [UInt8]

    /// Prepares for rows of `width` pixels with `channels` samples, of which the last is the alpha.
    init(width: Int, channels: Int) {
        self.channels = channels
        laid = [UInt8](repeating: 0, count: width * (channels - 1))
    }

    /// `row` without its alpha, until the next one is laid.
    mutating func laid(_ row: Span<UInt8>) -> [UInt8] {
        let (channels, pixels) = (channels, row.count / channels)
        precondition(laid.count == pixels * (channels - 1), "a row of another width")
        // Checked above, once a row.
        unsafe laid.withUnsafeMutableBufferPointer { laid in
            unsafe row.withUnsafeBufferPointer { row in
                for pixel in 0..<pixels {
                    let alpha = unsafe UInt32(row[pixel * channels + channels - 1])
                    let white = 255 * (255 - alpha) + 127
                    for channel in 0..<channels - 1 {
                        let sum = unsafe UInt32(row[pixel * channels + channel]) * alpha + white
                        unsafe laid[pixel * (channels - 1) + channel] = UInt8(truncatingIfNeeded: sum / 255)
                    }
                }
            }
        }
        return laid
    }
}
