public import Calotype
public import CalotypeCore

extension PictureDrawing {
    /// Loads pictures as `pipeline` does and draws them for `box`; those finished before are given at once.
    ///
    /// A request whose cache policy does not read is always loaded. A finished picture is not checked for freshness.
    public func loader(_ pipeline: ImagePipeline, box: PictureBox) -> ImageLoader<TerminalPicture> {
        let bitmaps = pipeline.bitmapLoader
        return ImageLoader(scope: bitmaps.scope) { request, priority in
            if let picture = self.kept(request, box: box) { return picture }
            let picture = try await self.picture(of: try await bitmaps.load(request, priority), in: box)
            self.finished.replaceValue(picture, for: FinishedPictureKey(request, box))
            return picture
        }
    }

    /// The picture of `request` in `box`, if it was drawn before and is still in memory.
    public func kept(_ request: ImageRequest, box: PictureBox) -> TerminalPicture? {
        guard request.cachePolicy.reads else { return nil }
        return finished.value(for: FinishedPictureKey(request, box))
    }
}
