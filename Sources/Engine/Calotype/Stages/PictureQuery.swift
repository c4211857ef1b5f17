import CalotypeCodec
package import CalotypeCore

/// A request for a picture, and the caches that it has missed.
///
/// The misses travel with the request, so that no cache is queried twice.
package struct PictureQuery: Sendable {
    /// A miss.
    struct Absence: Sendable {
        /// The state of the caches at the miss; see ``StoredPictures/mark(of:)``.
        let mark: Int
        /// Whether the store was queried too, and not only memory.
        var includesStore = false
    }

    /// The request.
    package let request: ImageRequest
    let key: RenditionKey
    /// `nil` before the first look-up, and after a hit.
    var absence: Absence?

    /// Creates the query for the rendition of `request`.
    package init(_ request: ImageRequest) {
        self.init(request, .encoded(RenditionSpec(request.transform, request.output)))
    }

    init(_ request: ImageRequest, _ spec: PictureSpec) {
        self.request = request
        key = RenditionKey(request, spec)
    }

    /// The query for the request that a hook returned; no cache was queried for it.
    func prepared(_ request: ImageRequest) -> PictureQuery {
        switch key.spec {
        case .encoded: PictureQuery(request)
        case .pixels: PictureQuery(request, .pixels(request.transform))
        }
    }
}
