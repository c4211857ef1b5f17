import Calotype
import CalotypeCore

/// Where a wall's pictures come from.
struct PictureSupply: Sendable {
    /// What loads pictures for a box.
    let loader: @Sendable (PictureBox) -> ImageLoader<TerminalPicture>
    /// A picture that is finished and in memory.
    let kept: @Sendable (ImageRequest, PictureBox) -> TerminalPicture?
    /// The pixels that fill a box.
    let pixels: @Sendable (PictureBox) -> PixelSize
    /// How often finished pictures in memory have helped so far.
    let reused: @Sendable () -> Int

    /// What a pipeline loads and a drawing draws; nothing where the style shows no pictures.
    static func pictures(_ pipeline: ImagePipeline, _ drawing: PictureDrawing) -> PictureSupply? {
        guard drawing.style != .none else { return nil }
        return PictureSupply(
            loader: { drawing.loader(pipeline, box: $0) },
            kept: { drawing.kept($0, box: $1) },
            pixels: { $0.pixels(for: drawing.style) },
            reused: { drawing.counts.reused }
        )
    }
}
