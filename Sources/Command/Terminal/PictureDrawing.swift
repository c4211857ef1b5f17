public import Calotype
public import CalotypeCore
import CalotypeStore
import Synchronization
import TaskFlow

/// Runs `body` with a drawing of pictures, and returns when its threads have ended.
///
/// - Parameters:
///   - style: How pictures are drawn.
///   - memory: The most bytes of finished pictures that are kept.
///   - threads: How many are drawn at the same time.
///   - body: Uses the drawing; what it started with it has ended when it returns.
/// - Returns: What `body` returns.
/// - Throws: `drawing_unavailable` when the style needs libchafa and it cannot be used; what `body` throws.
public func withPictureDrawing<Output>(
    _ style: PictureStyle,
    memory: ByteCount = .mebibytes(32),
    threads: Int = 1,
    _ body: (PictureDrawing) async throws -> Output
) async throws -> Output {
    if style != .none, style != .kitty { try Chafa.start() }
    // A key that is pressed comes before a picture.
    return try await withThreadExecutor(name: "drawing", threads: threads, niceness: 5) { executor in
        try await body(PictureDrawing(style, memory: memory, executor: executor))
    }
}

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

/// What a finished picture is kept under: what it shows, and the room it was drawn for.
struct FinishedPictureKey: Hashable {
    private let request: ImageRequest
    private let box: PictureBox

    /// Requests that differ only in their urgency, their cache policy, or what they are encoded as show the same.
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
