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
        let stored = plan.stored(transform)
        let resampler = Resampler.bytes(
            .interleaved(model == .videoYCbCr ? .rgb : model, plan.decodedSize)
                .cropped(to: stored.crop, of: stored.whole),
            scaled: stored.scaled,
            kept: stored.kept,
            isLinearLight: transform.isLinearLight
        )
        // Whatever the limits let through, the arithmetic does not overflow.
        let pixels = min(stored.kept.size.pixelCount, 1 << 40)
        let turned = stored.orientation > 1 ? pixels * model.channels : 0
        return specs.reduce(resampler + turned) { $0 + pixels * outputBytes($1, facts.format, model) }
    }

    /// The bytes a pixel that an output holds until it is complete.
    private static func outputBytes(
        _ spec: PictureSpec,
        _ source: ImageFormat,
        _ model: SampleLayout.Model
    ) -> Int {
        guard case .encoded(let rendition) = spec else { return 4 }
        let format = VipsEncoder(rendition.output, source: source).format
        // Rows that may be encoded again are held.
        let held = rendition.transform.edits.mostBytes != nil && format.hasQuality ? model.channels : 0
        return switch format {
        case .jpeg: 1 + held
        // Filtered rows, as far as they are kept, and their deflated bytes.
        case .png: 2 * model.channels
        // The encoder's planes beside the pixels.
        case .webp: 8 + held
        case .avif, .gif, .heic, .tiff: 8
        }
    }
}
