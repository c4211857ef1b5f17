public import CalotypeCore
public import TaskFlow

// For callers who know beforehand what they want, and want all of it or none.
extension ImageCoding {
    /// Decodes `input` once and makes a rendition for each of `specs`, in their order.
    ///
    /// - Throws: as ``pictures(of:limits:priority:wanted:)``; the first failure of a spec.
    public func renditions(
        of input: CodecInput,
        as specs: [RenditionSpec],
        limits: ImageLimits = ImageLimits(),
        priority: LivePriority = LivePriority()
    ) async throws -> [CodedPicture] {
        try await pictures(of: input, limits: limits, priority: priority) { specs.map { .encoded($0) } }
            .map { try $0.get() }
    }

    /// Decodes `input` to the pixels of its upright first frame, scaled and cut by `transform`.
    ///
    /// - Throws: as ``pictures(of:limits:priority:wanted:)``; `invalid_request`.
    public func bitmap(
        of input: CodecInput,
        _ transform: Transform = .none,
        limits: ImageLimits = ImageLimits(),
        priority: LivePriority = LivePriority()
    ) async throws -> Bitmap {
        try await pictures(of: input, limits: limits, priority: priority) { [.pixels(transform)] }.bitmap()
    }
}

extension [Result<CodedPicture, CalotypeError>] {
    /// The pixels, where one spec asked for them.
    func bitmap() throws(CalotypeError) -> Bitmap {
        guard case .pixels(let bitmap) = try first?.get().content else {
            preconditionFailure("a codec gave no pixels for a spec of pixels")
        }
        return bitmap
    }
}
