import CalotypeCore

/// Collects the rows of a picture as it is stored and gives those of the upright one (EXIF orientation 2 to 8).
struct TurnedRows {
    /// The size of the upright picture.
    let size: PixelSize

    private let stored: PixelSize
    private let orientation: Int
    private let channels: Int
    private var pixels: [UInt8] = []

    /// Prepares for a picture whose stored size is `stored`.
    init(_ stored: PixelSize, orientation: Int, channels: Int) {
        self.stored = stored
        self.orientation = orientation
        self.channels = channels
        size = orientation >= 5 ? stored.transposed : stored
        pixels.reserveCapacity(stored.pixelCount * channels)
    }

    /// Takes the next stored row.
    mutating func append(_ row: Span<UInt8>) {
        unsafe row.withUnsafeBufferPointer { unsafe pixels.append(contentsOf: $0) }
    }

    /// Hands each upright row to `body`, from the top.
    func forEachRow(_ body: (Span<UInt8>) throws -> Void) rethrows {
        var row = [UInt8](repeating: 0, count: size.width * channels)
        for y in 0..<size.height {
            let (first, step) = way(y)
            turn(&row, from: first * channels, by: step * channels)
            try body(row.span)
        }
    }

    private func turn(_ row: inout [UInt8], from start: Int, by step: Int) {
        let (channels, width) = (channels, size.width)
        precondition(pixels.count == stored.pixelCount * channels, "rows are missing")
        // The way of each row lies within the picture.
        unsafe row.withUnsafeMutableBufferPointer { row in
            unsafe pixels.withUnsafeBufferPointer { pixels in
                for x in 0..<width {
                    for channel in 0..<channels {
                        unsafe row[x * channels + channel] = pixels[start + x * step + channel]
                    }
                }
            }
        }
    }

    /// The stored pixel that begins upright row `y`, and the way from each pixel of that row to the next.
    private func way(_ y: Int) -> (first: Int, step: Int) {
        let (w, h) = (stored.width, stored.height)
        switch orientation {
        case 2: return (y * w + w - 1, -1)
        case 3: return ((h - 1 - y) * w + w - 1, -1)
        case 4: return ((h - 1 - y) * w, 1)
        case 5: return (y, w)
        case 6: return ((h - 1) * w + y, -w)
        case 7: return ((h - 1) * w + w - 1 - y, -w)
        case 8: return (w - 1 - y, w)
        default: return (y * w, 1)
        }
    }
}
