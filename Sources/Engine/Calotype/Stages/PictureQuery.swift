import CalotypeCodec
package import CalotypeCore

/// A request for a picture on its way through the caches.
///
/// What a look-up did not find travels with the request, so that no cache is asked twice.
package struct PictureQuery: Sendable {
    /// What the caches did not have.
    struct Absence: Sendable {
        /// Which pictures had been kept before; see ``KeptPictures/mark(of:)``.
        let mark: Int
        /// Whether the store was asked, too, and not memory alone.
        var includesStore = false
    }

    /// What is asked for.
    package let request: ImageRequest
    let key: RenditionKey
    /// `nil` before the first look-up, and after one that found a picture.
    var absence: Absence?

    /// Creates the query for the rendition that `request` asks for.
    package init(_ request: ImageRequest) {
        self.init(request, .encoded(RenditionSpec(request.transform, request.output)))
    }

    init(_ request: ImageRequest, _ spec: PictureSpec) {
        self.request = request
        key = RenditionKey(request, spec)
    }

    /// The query for what a hook made of the request; no cache was asked for that.
    func prepared(_ request: ImageRequest) -> PictureQuery {
        switch key.spec {
        case .encoded: PictureQuery(request)
        case .pixels: PictureQuery(request, .pixels(request.transform))
        }
    }
}
