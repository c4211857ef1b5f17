import CalotypeCore

/// Decides which decoder takes a source: the one place.
///
/// The fast path takes still JPEG, PNG and WebP pictures of 8 bits a channel in grey or RGB, whole; libvips takes what is
/// unusual.
struct FastPath: Sendable {
    /// The largest factor of an enlargement: beyond it so many rows are open at once that the memory is no longer small.
    private static let mostEnlargement = 8

    /// The verdict on `source`, by its header alone.
    ///
    /// - Throws: as the format's decoder: the source is damaged.
    func verdict(_ source: OpenedSource, _ transforms: [Transform]) throws(CalotypeError) -> FastVerdict {
        let facts = source.facts
        if let frames = facts.frames, frames != 1 { return .left(reason: "animated") }
        guard facts.bitDepth <= 8 else { return .left(reason: "\(facts.bitDepth) bits a channel") }
        guard transforms.allSatisfy({ Self.isModest($0, of: facts.size) }) else {
            return .left(reason: "enlarged more than \(Self.mostEnlargement) times")
        }
        let verdict = try formatVerdict(source)
        guard case .taken(let fast) = verdict, !fast.profile.isEmpty, !ICCProfile.isSRGB(fast.profile)
        else { return verdict }
        return .left(reason: "colour profile")
    }

    private func formatVerdict(_ source: OpenedSource) throws(CalotypeError) -> FastVerdict {
        switch source.facts.format {
        case .jpeg: try JPEGSource.verdict(source.encoded, source.facts)
        case .png: try PNGSource.verdict(source.encoded, source.facts)
        case .webp: try WebPSource.verdict(source.encoded, source.facts)
        case .avif, .gif, .heic, .tiff: .left(reason: source.facts.format.rawValue.uppercased())
        }
    }

    private static func isModest(_ transform: Transform, of size: PixelSize) -> Bool {
        let scaled = Geometry(transform, of: size).scaled
        return scaled.width <= size.width * mostEnlargement && scaled.height <= size.height * mostEnlargement
    }
}
