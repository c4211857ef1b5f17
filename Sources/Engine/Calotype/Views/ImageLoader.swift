public import CalotypeCore
public import TaskFlow

/// Loads pictures of one kind from a pipeline for slots, galleries, pools and prefetchers.
///
/// A pipeline provides ``ImagePipeline/renditionLoader`` and ``ImagePipeline/bitmapLoader``. Use `map` for
/// the picture type of your own views.
public struct ImageLoader<Picture: Sendable>: Sendable {
    /// Owns the tasks that load.
    package let scope: TaskScope
    /// Loads the picture of a request.
    ///
    /// The priority may change meanwhile.
    package let load: @Sendable (ImageRequest, LivePriority) async throws -> Picture

    /// Creates a loader.
    ///
    /// - Parameters:
    ///   - scope: Owns the tasks in which slots, galleries, pools and prefetchers load; its end cancels and
    ///     awaits them.
    ///   - load: Loads the picture of a request. It runs in one of those tasks, never on the main actor, and
    ///     is cancelled with it. The priority starts as that of the request, and may change.
    public init(
        scope: TaskScope,
        load: @escaping @Sendable (ImageRequest, LivePriority) async throws -> Picture
    ) {
        self.scope = scope
        self.load = { request, priority in
            // A load that was cancelled before it began does not begin.
            try Task.checkCancellation()
            return try await load(request, priority)
        }
    }

    /// Returns a loader that transforms each picture, such as into a texture.
    ///
    /// The transform runs in the loading task, never on the main actor. If it takes long, run it on an
    /// executor of its own.
    public func map<Other: Sendable>(
        _ transform: @escaping @Sendable (Picture) async throws -> Other
    ) -> ImageLoader<Other> {
        ImageLoader<Other>(scope: scope) { [load] request, priority in
            try await transform(try await load(request, priority))
        }
    }

    /// Returns the result of a load.
    func outcome(of request: ImageRequest, priority: LivePriority) async -> Result<Picture, any Error> {
        do {
            return .success(try await load(request, priority))
        } catch {
            return .failure(error)
        }
    }
}

extension ImagePipeline {
    /// Loads renditions, for slots, galleries, pools and prefetchers.
    public var renditionLoader: ImageLoader<Rendition> {
        ImageLoader(scope: scope) { request, priority in
            try await self.load(request, priority: priority)
        }
    }

    /// Loads bitmaps, for slots, galleries, pools and prefetchers.
    public var bitmapLoader: ImageLoader<Bitmap> {
        ImageLoader(scope: scope) { request, priority in
            try await self.bitmap(for: request, priority: priority)
        }
    }
}
