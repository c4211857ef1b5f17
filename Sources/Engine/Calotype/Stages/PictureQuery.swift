import CalotypeCodec
package import CalotypeCore
import CalotypeHTTP
import CalotypeStore

/// A picture that memory had, for later look-ups without its key.
package struct KeptPicture: Hashable, Sendable {
    let place: CachePlace
    /// When it needs revalidation; `nil` for never.
    var freshUntil: WallTime?
}

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

    /// What does not change on the way.
    ///
    /// An object, because each step of a waiting load holds it.
    private final class Question: Sendable {
        let request: ImageRequest
        let key: RenditionKey

        init(_ request: ImageRequest, _ key: RenditionKey) {
            self.request = request
            self.key = key
        }
    }

    private let question: Question
    /// The request.
    package var request: ImageRequest { question.request }
    var key: RenditionKey { question.key }
    /// When the load began, in the order of changes and removals.
    var moment = SourceChanges.Moment.beginning
    /// `nil` before the first look-up, and after a hit.
    var absence: Absence?
    /// The picture that the last look-up in memory found; `nil` if it found none that can be served.
    package internal(set) var kept: KeptPicture?

    /// Creates the query for the rendition of `request`.
    package init(_ request: ImageRequest) {
        self.init(request, .encoded(RenditionSpec(request.transform, request.output)))
    }

    /// Creates the query for the rendition of `request`, with the names that `other` has if it is for the same picture.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - other: A query to the same pipeline.
    package init(_ request: ImageRequest, sharingNamesWith other: PictureQuery?) {
        let query = PictureQuery(request)
        guard let other, other.key == query.key else {
            self = query
            return
        }
        question = Question(request, other.key)
    }

    init(_ request: ImageRequest, _ spec: PictureSpec) {
        question = Question(request, RenditionKey(request, spec))
    }

    /// The query for the request that a hook returned; no cache was queried for it.
    func prepared(_ request: ImageRequest) -> PictureQuery {
        switch key.spec {
        case .encoded: PictureQuery(request)
        case .pixels: PictureQuery(request, .pixels(request.transform))
        }
    }
}
