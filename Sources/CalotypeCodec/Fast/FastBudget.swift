import CalotypeCore

/// Estimates the memory that the fast path takes beside its decoder.
enum FastBudget {
    /// The bytes for the pictures `specs` of one transform, made of rows of `model`.
    static func bytes(
        _ specs: [PictureSpec],
        _ plan: FastPlan,
        of facts: ImageFacts,
        model: SampleLayout.Model
    ) -> Int {
        guard let transform = specs.first?.transform else { return 0 }
        let geometry = Geometry(transform, of: facts.size)
        let stored = plan.stored(transform)
        let resampler = Resampler.bytes(
            .interleaved(model == .videoYCbCr ? .rgb : model, plan.decodedSize),
            scaled: stored.scaled,
            kept: stored.kept,
            isLinearLight: transform.isLinearLight
        )
        // Whatever the limits let through, the arithmetic does not overflow.
        let pixels = min(geometry.output.pixelCount, 1 << 40)
        let turned = facts.orientation > 1 ? pixels * model.channels : 0
        return specs.reduce(resampler + turned) { $0 + pixels * outputBytes($1, facts.format, model) }
    }

    /// The bytes a pixel that an output holds until it is complete.
    private static func outputBytes(
        _ spec: PictureSpec,
        _ source: ImageFormat,
        _ model: SampleLayout.Model
    ) -> Int {
        guard case .encoded(let rendition) = spec else { return 4 }
        return switch VipsEncoder(rendition.output, source: source).format {
        case .jpeg: 1
        // Filtered rows, as far as they are kept, and their deflated bytes.
        case .png: 2 * model.channels
        // The encoder's planes beside the pixels.
        case .webp: 8
        case .avif, .gif, .heic, .tiff: 8
        }
    }
}
