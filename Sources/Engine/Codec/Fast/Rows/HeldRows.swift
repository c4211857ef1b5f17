import CalotypeCore

/// Keeps the rows of a picture that may have to be encoded more than once.
final class HeldRows {
    private let rowBytes: Int
    private var samples: [UInt8] = []

    /// Prepares for a picture of `size` with rows of `model`.
    init(_ size: PixelSize, _ model: SampleLayout.Model) {
        rowBytes = size.width * model.channels
        samples.reserveCapacity(rowBytes * size.height)
    }

    /// Takes the next row.
    func write(_ row: Span<UInt8>) {
        unsafe row.withUnsafeBufferPointer { unsafe samples.append(contentsOf: $0) }
    }

    /// Hands each row to `body`, from the top.
    func forEachRow<Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> Void) throws(Failure) {
        let samples = samples
        for start in stride(from: 0, to: samples.count, by: rowBytes) {
            let row = samples.span.extracting(start..<start + rowBytes)
            try body(row)
        }
    }
}
