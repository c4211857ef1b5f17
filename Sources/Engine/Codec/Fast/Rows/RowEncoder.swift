import CalotypeCore

/// Takes the finished rows of a picture from the top, and gives its bytes.
protocol RowEncoder: AnyObject {
    /// What the samples of the rows that it takes mean: `grey`, `greyAlpha`, `rgb` or `rgba`, chosen from the layout that it
    /// was made for; a format without alpha takes none.
    var model: SampleLayout.Model { get }

    /// Takes the next row, samples interleaved.
    ///
    /// - Throws: `encode_failed`.
    func write(_ row: Span<UInt8>) throws(CalotypeError)

    /// Gives the bytes, when all rows were written.
    ///
    /// - Throws: `encode_failed`.
    func finish() throws(CalotypeError) -> [UInt8]
}
