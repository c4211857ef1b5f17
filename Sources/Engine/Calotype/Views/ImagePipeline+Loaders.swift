public import CalotypeCore

extension ImagePipeline {
    /// Loads renditions, for slots, galleries, pools and prefetchers.
    public var renditionLoader: ImageLoader<Rendition> {
        ImageLoader(scope: scope) { request, priority in
            try await self.withoutCosts { try await self.load(request, priority: priority) }
        }
    }

    /// Loads bitmaps, for slots, galleries, pools and prefetchers.
    public var bitmapLoader: ImageLoader<Bitmap> {
        ImageLoader(scope: scope) { request, priority in
            try await self.bitmap(for: request, priority: priority)
        }
    }
}
