import CalotypeCodec
import CalotypeCore
import TaskFlow

/// Decodes the received part of a progressive JPEG, one preview at a time.
///
/// A preview is made when the bytes have grown by half since the last one, so that all previews together cost
/// little more than the picture.
final class PreviewMaker: Sendable {
    private struct State {
        var isBusy = false
        var lastCount = 0
        /// The decode in progress, identified by `lastCount`.
        var task: ScopedTask?
        var lastShown: Bitmap?
        var isOver = false
    }

    private let pipeline: ImagePipeline
    private let request: ImageRequest
    private let priority: LivePriority
    private let show: @Sendable (Bitmap) -> Void
    private let state = Guarded(State())

    init(
        _ pipeline: ImagePipeline,
        _ request: ImageRequest,
        _ priority: LivePriority,
        show: @escaping @Sendable (Bitmap) -> Void
    ) {
        self.pipeline = pipeline
        self.request = request
        self.priority = priority
        self.show = show
    }

    /// Makes a preview from `prefix` if one is due.
    func take(_ prefix: [UInt8], _ facts: ImageFacts) {
        guard facts.format == .jpeg, facts.needsWholePicture else { return }
        let isDue = state.withLock { state in
            guard !state.isBusy, !state.isOver, prefix.count > state.lastCount * 3 / 2 else { return false }
            state.isBusy = true
            state.lastCount = prefix.count
            return true
        }
        if isDue { start(prefix) }
    }

    /// Makes no more previews, because the load has ended.
    func end() {
        let task = state.withLock { state in
            state.isOver = true
            return state.task
        }
        task?.cancel()
    }

    private func start(_ prefix: [UInt8]) {
        // A scope that has ended starts nothing; the load ends too.
        let task = try? pipeline.scope.start(name: "preview") {
            await self.decode(prefix)
        }
        let isOver = state.withLock { state in
            // This decode may have ended already, and another one started.
            if state.isBusy, state.lastCount == prefix.count { state.task = task }
            return state.isOver
        }
        if isOver { task?.cancel() }
    }

    private func decode(_ prefix: [UInt8]) async {
        // An undecodable prefix shows nothing; the load reports the error.
        let bitmap = try? await pipeline.codec.preview(
            of: prefix,
            request.transform,
            limits: request.limits,
            priority: priority
        )
        let isNews = state.withLock { state in
            state.isBusy = false
            state.task = nil
            // More bytes of the same scan show the same picture.
            guard !state.isOver, let bitmap, bitmap != state.lastShown else { return false }
            state.lastShown = bitmap
            return true
        }
        if isNews, let bitmap { show(bitmap) }
    }
}
