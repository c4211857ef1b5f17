import CalotypeCore

/// Looks for the best quality at which a picture has at most so many bytes.
enum QualitySearch {
    /// Below this, what comes out is hardly a picture any more.
    private static let least = 10
    /// So many qualities are tried below the one that was asked for.
    private static let tries = 5

    /// The picture that `encode` gives at `quality`, or at the best lower one that a few tries find.
    ///
    /// - Returns: its bytes; `nil` where there are more at the least quality too.
    /// - Throws: what `encode` throws.
    static func bytes<Failure: Error>(
        _ quality: Int,
        most: ByteCount?,
        _ encode: (Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> [UInt8]? {
        let first = try encode(quality)
        guard let most, first.count > most.bytes else { return first }
        var (low, high) = (min(least, quality), quality)
        var best: [UInt8]?
        for _ in 0..<tries where low < high {
            let middle = (low + high) / 2
            let bytes = try encode(middle)
            if bytes.count <= most.bytes {
                best = bytes
                low = middle + 1
            } else {
                high = middle
            }
        }
        if let best { return best }
        let last = try encode(min(least, quality))
        return last.count <= most.bytes ? last : nil
    }

    /// The error of a picture that never has so few bytes as it may have.
    static func unreachable(_ most: ByteCount?) -> CalotypeError {
        CalotypeError(
            .tooManyBytes,
            "the picture has more than \(most?.description ?? "all") at the least quality: ask for fewer pixels",
            stage: .encode
        )
    }
}

extension ImageFormat {
    /// Whether its encoder gives fewer bytes for less quality.
    var hasQuality: Bool {
        switch self {
        case .jpeg, .webp, .avif, .heic: true
        case .png, .gif, .tiff: false
        }
    }
}
