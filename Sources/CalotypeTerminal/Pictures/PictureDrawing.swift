public import CalotypeCore
import TaskFlow

/// Draws bitmaps for a terminal, on threads of its own.
///
/// Finished pictures stay in a bounded memory, so that one that comes back to the screen is there at once.
public final class PictureDrawing: Sendable {
    /// What has been drawn so far.
    public struct Counts: Hashable, Sendable {
        /// Pictures drawn.
        public var drawn = 0
        /// Loads that the memory of finished pictures answered.
        public var reused = 0
    }

    /// How pictures are drawn.
    public let style: PictureStyle
    private let executor: ThreadExecutor
    private let finished: Guarded<FinishedPictures>

    init(_ style: PictureStyle, memory: ByteCount, executor: ThreadExecutor) {
        self.style = style
        self.executor = executor
        finished = Guarded(FinishedPictures(limit: memory))
    }

    /// What has been drawn so far.
    public var counts: Counts { finished.withLock { $0.counts } }

    /// Draws `bitmap` as large as fits into `box`; its aspect ratio is kept, so that it may be narrower or lower.
    ///
    /// A drawing that waits for its turn ends at once when it is cancelled.
    ///
    /// - Throws: `CancellationError`; `drawing_failed`; `drawing_unavailable` where the style is ``PictureStyle/none``.
    public func picture(of bitmap: Bitmap, in box: PictureBox) async throws -> TerminalPicture {
        throw CalotypeError(.drawingUnavailable, "pictures are not shown here", stage: .encode)
    }
}
