import CalotypeCore

/// Decides which decoder takes a source: the one place.
///
/// The fast path takes still JPEG, PNG and WebP pictures of 8 bits a channel in grey or RGB, whole; libvips takes what is
/// unusual.
struct FastPath: Sendable {
    /// Which decoder takes a source.
    enum Choice {
        /// The fast one; `conversion` brings its rows to sRGB where they are not.
        case fast(any FastSource, conversion: ColourConversion?)
        /// libvips; why, in a few words for the report.
        case libvips(reason: String)
    }

    /// The largest factor of an enlargement: beyond it so many rows are open at once that the memory is no longer small.
    private static let mostEnlargement = 8

    private let conversions = ColourConversions()

    /// Chooses the decoder of `source`, by its header alone.
    ///
    /// - Throws: as the format's decoder: the source is damaged.
    func choice(_ source: OpenedSource, _ transforms: [Transform]) throws(CalotypeError) -> Choice {
        let facts = source.facts
        if let frames = facts.frames, frames != 1 { return .libvips(reason: "animated") }
        guard facts.bitDepth <= 8 else { return .libvips(reason: "\(facts.bitDepth) bits a channel") }
        for transform in transforms {
            if let edit = transform.edits.libraryEdit(Geometry(transform, of: facts)) {
                return .libvips(reason: edit)
            }
        }
        guard transforms.allSatisfy({ Self.isModest($0, of: facts) }) else {
            return .libvips(reason: "enlarged more than \(Self.mostEnlargement) times")
        }
        switch try verdict(source) {
        case .left(let reason): return .libvips(reason: reason)
        // Its planes cannot be averaged as light: that is said of red, green and blue.
        case .taken(let fast) where fast.model == .videoYCbCr && transforms.contains(where: \.isLinearLight):
            return .libvips(reason: "averaged as light")
        case .taken(let fast): return choice(fast)
        }
    }

    private func choice(_ fast: any FastSource) -> Choice {
        switch conversions.verdict(fast.profile, fast.model) {
        case .left(let reason): .libvips(reason: reason)
        case .unchanged: .fast(fast, conversion: nil)
        case .converted(let conversion): .fast(fast, conversion: conversion)
        }
    }

    private func verdict(_ source: OpenedSource) throws(CalotypeError) -> FastVerdict {
        switch source.facts.format {
        case .jpeg: try JPEGSource.verdict(source.encoded, source.facts)
        case .png: try PNGSource.verdict(source.encoded, source.facts)
        case .webp: try WebPSource.verdict(source.encoded, source.facts)
        case .avif, .gif, .heic, .tiff: .left(reason: source.facts.format.rawValue.uppercased())
        }
    }

    private static func isModest(_ transform: Transform, of facts: ImageFacts) -> Bool {
        let geometry = Geometry(transform, of: facts)
        let (size, scaled) = (geometry.crop.size, geometry.scaled)
        return scaled.width <= size.width * mostEnlargement && scaled.height <= size.height * mostEnlargement
    }
}
