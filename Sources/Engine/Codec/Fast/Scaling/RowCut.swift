import CalotypeCore

/// Passes on the kept part of rows that are not scaled.
final class RowCut {
    private let area: PixelArea
    private let channels: Int
    private var taken = 0

    init(_ area: PixelArea, channels: Int) {
        self.area = area
        self.channels = channels
    }

    /// Hands the kept part of the next row to `body`, where the row is kept.
    func take(_ row: Span<UInt8>, _ body: (Span<UInt8>) throws -> Void) rethrows {
        let index = taken
        taken += 1
        guard (area.top..<area.top + area.size.height).contains(index) else { return }
        let first = area.left * channels
        try body(row.extracting(first..<first + area.size.width * channels))
    }
}
