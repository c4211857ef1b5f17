public import Calotype
public import CalotypeCore
import CalotypeStore
import Synchronization
import TaskFlow

/// Runs `body` with a picture drawing, and returns when its threads have ended.
///
/// - Parameters:
///   - style: The style of the pictures.
///   - memory: Maximum size of the finished pictures in memory.
///   - threads: Number of pictures drawn at the same time.
///   - body: Uses the drawing; all its work has ended when this returns.
/// - Returns: The result of `body`.
/// - Throws: `drawing_unavailable` if the style needs libchafa and it cannot be used; what `body` throws.
public func withPictureDrawing<Output>(
    _ style: PictureStyle,
    memory: ByteCount = .mebibytes(32),
    threads: Int = 1,
    _ body: (PictureDrawing) async throws -> Output
) async throws -> Output {
    if style != .none, style != .kitty { try Chafa.start() }
    // A key press takes precedence over a picture.
    return try await withThreadExecutor(name: "drawing", threads: threads, niceness: 5) { executor in
        try await body(PictureDrawing(style, memory: memory, executor: executor))
    }
}

/// Draws bitmaps for a terminal, on its own threads.
///
/// Finished pictures stay in a bounded memory, so that a picture that returns to the screen appears
/// immediately.
public final class PictureDrawing: Sendable {
    /// The counts of drawn and reused pictures.
    public struct Counts: Hashable, Sendable {
        /// Number of pictures drawn.
        public let drawn: Int
        /// Number of loads served from the memory of finished pictures.
        public let reused: Int
    }

    /// The style of the pictures.
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

    /// The counts so far.
    public var counts: Counts {
        Counts(drawn: drawn.load(ordering: .relaxed), reused: finished.snapshot.hits)
    }

    /// Draws `bitmap` as large as fits into `box`, with its own aspect ratio.
    ///
    /// A call that is cancelled while it waits for its turn draws nothing.
    ///
    /// - Throws: `CancellationError`; `drawing_failed`; `drawing_unavailable` if the style is
    ///   ``PictureStyle/none``.
    public func picture(of bitmap: Bitmap, in box: PictureBox) async throws -> TerminalPicture {
        let picture = try await executor.run {
            try Task.checkCancellation()
            return try PictureDrawer(style: self.style, box: box).picture(of: bitmap)
        }
        drawn.add(1, ordering: .relaxed)
        return picture
    }
}

extension PictureDrawing {
    /// Returns a loader that loads pictures with `pipeline`, draws them for `box`, and reuses finished ones.
    ///
    /// A request whose cache policy does not read is always loaded. Finished pictures are not checked for
    /// freshness.
    public func loader(_ pipeline: ImagePipeline, box: PictureBox) -> ImageLoader<TerminalPicture> {
        let bitmaps = pipeline.bitmapLoader
        return ImageLoader(scope: bitmaps.scope) { request, priority in
            if let picture = self.kept(request, box: box) { return picture }
            let picture = try await self.picture(of: try await bitmaps.load(request, priority), in: box)
            self.finished.replaceValue(picture, for: FinishedPictureKey(request, box))
            return picture
        }
    }

    /// Returns the finished picture of `request` in `box`, if it is still in memory.
    public func kept(_ request: ImageRequest, box: PictureBox) -> TerminalPicture? {
        guard request.cachePolicy.reads else { return nil }
        return finished.value(for: FinishedPictureKey(request, box))
    }
}

/// The key of a finished picture: its content, and the box that it was drawn for.
struct FinishedPictureKey: Hashable {
    private let request: ImageRequest
    private let box: PictureBox

    /// Ignores urgency, cache policy and encoding, which do not change what is shown.
    init(_ request: ImageRequest, _ box: PictureBox) {
        var request = request
        request.priority = .normal
        request.deadline = nil
        request.output = .jpeg
        request.cachePolicy = .use
        self.request = request
        self.box = box
    }
}
