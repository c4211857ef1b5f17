public import CalotypeCore
public import TaskFlow

// Pictures that are still arriving.
extension ImageCodec {
    /// Decodes the visible part of a progressive JPEG in `prefix`; see ``ImageCoding``.
    public func preview(
        of prefix: [UInt8],
        _ transform: Transform = .none,
        limits: ImageLimits = ImageLimits(),
        priority: LivePriority = LivePriority()
    ) async throws -> Bitmap? {
        try await onCore(priority) { try await self.makePreview(prefix, transform, limits, priority) }
    }

    @concurrent
    private func makePreview(
        _ prefix: [UInt8],
        _ transform: Transform,
        _ limits: ImageLimits,
        _ priority: LivePriority
    ) async throws -> Bitmap? {
        guard let shown = try ProgressivePrefix.shown(of: prefix) else { return nil }
        let made = try await makePictures(
            .bytes(shown),
            limits,
            priority,
            { [.pixels(transform)] },
            since: clock.now
        )
        return try made.bitmap()
    }
}

/// The first bytes of a progressive JPEG (ITU-T T.81, G.1), turned into a complete JPEG.
enum ProgressivePrefix {
    private static let end: [UInt8] = [0xFF, 0xD9]

    /// Returns the complete scans in `prefix`, with an end marker.
    ///
    /// Returns `nil` if there are no complete scans, or if the prefix is not a progressive JPEG. A JPEG may
    /// end after any of its scans. Cut like this, it is valid to the decoder, which stays strict.
    ///
    /// - Throws: `corrupt_image`, `unsupported_format`.
    static func shown(of prefix: [UInt8]) throws(CalotypeError) -> [UInt8]? {
        guard prefix.starts(with: [0xFF, 0xD8, 0xFF]) else { return nil }
        guard let facts = try ImageProbe.facts(fromPrefix: prefix, isComplete: false) else { return nil }
        guard facts.format == .jpeg, facts.needsWholePicture else { return nil }
        var reader = ByteReader(prefix)
        guard let length = JPEGHeader.lastScanEnd(&reader) else { return nil }
        return prefix[..<length] + end
    }
}
