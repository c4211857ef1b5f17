/// Lays rows with alpha on white.
struct WhiteGround {
    private let channels: Int
    private var row: [UInt8] = []

    /// Prepares for rows of `channels` samples a pixel, of which the last is the alpha.
    init(channels: Int) {
        self.channels = channels
    }

    /// `row` without its alpha; it is there until the next one is asked for.
    mutating func laid(_ row: Span<UInt8>) -> [UInt8] {
        self.row.removeAll(keepingCapacity: true)
        for pixel in stride(from: 0, to: row.count, by: channels) {
            let alpha = Int(row[pixel + channels - 1])
            for channel in 0..<channels - 1 {
                let sum = Int(row[pixel + channel]) * alpha + 255 * (255 - alpha)
                self.row.append(UInt8((sum + 127) / 255))
            }
        }
        return self.row
    }
}
