public import CalotypeCore
public import TaskFlow

// Pictures that are still on their way.
extension ImageCodec {
    /// Decodes what a progressive JPEG shows of itself in `prefix`; see ``ImageCoding``.
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
