public import Calotype
public import CalotypeCore

extension PictureDrawing {
    /// Loads pictures as `pipeline` does and draws them for `box`; those finished before are given at once.
    public func loader(_ pipeline: ImagePipeline, box: PictureBox) -> ImageLoader<TerminalPicture> {
        pipeline.bitmapLoader.map { try await self.picture(of: $0, in: box) }
    }

    /// The picture of `request` in `box`, if it was drawn before and is still in memory.
    public func kept(_ request: ImageRequest, box: PictureBox) -> TerminalPicture? {
        nil
    }
}
