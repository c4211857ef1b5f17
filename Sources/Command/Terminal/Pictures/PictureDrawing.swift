public import CalotypeCore
import CalotypeStore
import Synchronization
import TaskFlow

/// Draws bitmaps for a terminal, on threads of its own.
///
/// Finished pictures stay in a bounded memory, so that one that comes back to the screen is there at once.
public final class PictureDrawing: Sendable {
    /// What has been drawn so far.
    public struct Counts: Hashable, Sendable {
        /// Pictures drawn.
        public let drawn: Int
        /// Loads that the memory of finished pictures answered.
        public let reused: Int
    }

    /// How pictures are drawn.
    public let style: PictureStyle
    let finished: MemoryCache<FinishedPictureKey, TerminalPicture>
    private let executor: ThreadExecutor
    private let drawn = Atomic(0)

    init(_ style: PictureStyle, memory: ByteCount, executor: ThreadExecutor) {
        self.style = style
        self.executor = executor
        finished = MemoryCache(limits: MemoryCacheLimits(bytes: memory, count: 10_000)) {
            ByteCount($0.byteCount)
        }
    }

    /// What has been drawn so far.
    public var counts: Counts {
        Counts(drawn: drawn.load(ordering: .relaxed), reused: finished.snapshot.hits)
    }

    /// Draws `bitmap` as large as fits into `box`; its aspect ratio is kept, so that it may be narrower or lower.
    ///
    /// One that is cancelled while it waits for its turn is not drawn.
    ///
    /// - Throws: `CancellationError`; `drawing_failed`; `drawing_unavailable` where the style is ``PictureStyle/none``.
    public func picture(of bitmap: Bitmap, in box: PictureBox) async throws -> TerminalPicture {
        let picture = try await executor.run {
            try Task.checkCancellation()
            return try PictureDrawer(style: self.style, box: box).picture(of: bitmap)
        }
        drawn.add(1, ordering: .relaxed)
        return picture
    }
}
