public import CalotypeCore
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
