import CalotypeCodec
import CalotypeCore

/// What two requests must have in common to share one picture, in flight and in the memory cache.
///
/// The URL is compared as written, because parsing it would cost more than a cache hit. Two spellings of one
/// URL still share its download. Priority and deadline are left out: they affect when a picture is made, not
/// its content.
struct RenditionKey: Hashable, Sendable {
    let source: SourceName
    let headers: [HeaderField]
    let partition: String?
    let limits: ImageLimits
    private(set) var spec: PictureSpec
    private(set) var cachePolicy: CachePolicy
    let identity = ParsedIdentity()

    init(_ request: ImageRequest, _ spec: PictureSpec) {
        source = SourceName(request)
        headers = request.headers
        partition = request.partition
        limits = request.limits
        cachePolicy = request.cachePolicy
        self.spec = spec
    }

    /// The key in the caches, whatever the request's cache policy.
    var stored: RenditionKey {
        var key = self
        key.cachePolicy = .use
        return key
    }

    /// The key in the caches of another picture of the same source.
    func stored(as spec: PictureSpec) -> RenditionKey {
        var key = stored
        key.spec = spec
        return key
    }

    /// Whether the picture may be cached.
    ///
    /// A file may change, and both files and bytes are quick to load.
    var isStorable: Bool {
        switch source {
        case .cacheKey, .source(.url), .source(.provided): true
        case .source(.file), .source(.bytes): false
        }
    }
}

/// What a source is known by, with its URL as written: its place, unless the request names it.
enum SourceName: Hashable, Sendable {
    case source(ImageSource)
    case cacheKey(String)

    init(_ request: ImageRequest) {
        self = request.cacheKey.map(SourceName.cacheKey) ?? .source(request.source)
    }
}
