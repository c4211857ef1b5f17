/// Converts the rows of a picture from the colours of its profile to sRGB; from grey to grey.
///
/// It may be used by several threads at a time.
struct ColourConversion: Sendable {
    private enum Way {
        /// The new value of each grey, for pixels of so many samples.
        case table([UInt8], channels: Int)
        case transform(ColourTransform)
    }

    private let way: Way

    /// Makes the conversion of `profile`, for rows of `model`; `nil` where Little CMS makes none.
    init?(_ profile: [UInt8], _ model: SampleLayout.Model) {
        switch model {
        case .grey, .greyAlpha:
            guard let table = Self.table(profile) else { return nil }
            way = .table(table, channels: model.channels)
        case .rgb, .rgba, .videoYCbCr:
            guard let transform = ColourTransform(profile, .colours(hasAlpha: model.hasAlpha)) else {
                return nil
            }
            way = .transform(transform)
        }
    }

    /// Converts the samples of `row` where they stand; alpha stays as it is.
    func convert(_ row: inout MutableSpan<UInt8>) {
        switch way {
        case .table(let table, let channels):
            for index in stride(from: 0, to: row.count, by: channels) { row[index] = table[Int(row[index])] }
        case .transform(let transform): transform.convert(&row)
        }
    }

    /// The grey of sRGB that each grey is; a transform makes colours of equal samples of it.
    private static func table(_ profile: [UInt8]) -> [UInt8]? {
        guard let transform = ColourTransform(profile, .grey) else { return nil }
        return transform.colours(ofGreys: Array(0...255))
    }
}
