import CalotypeCodec
import CalotypeCore

/// What two requests must have in common to share one picture, in flight and in the memory cache.
///
/// The URL counts as it was written: to read it costs more than a cache hit may. Two spellings of one URL still share
/// its download. Priority and deadline are left out: they change when a picture is made, not what it is.
struct RenditionKey: Hashable, Sendable {
    let source: ImageSource
    let headers: [HeaderField]
    let partition: String?
    let limits: ImageLimits
    private(set) var spec: PictureSpec
    private(set) var cachePolicy: CachePolicy

    init(_ request: ImageRequest, _ spec: PictureSpec) {
        source = request.source
        headers = request.headers
        partition = request.partition
        limits = request.limits
        cachePolicy = request.cachePolicy
        self.spec = spec
    }

    /// The key by which it is stored, whatever the request's policy.
    var stored: RenditionKey {
        var key = self
        key.cachePolicy = .use
        return key
    }

    /// The key of another picture of the same source, stored like this one.
    func stored(as spec: PictureSpec) -> RenditionKey {
        var key = stored
        key.spec = spec
        return key
    }

    /// Whether the picture may be stored: what lies on this machine already may change there, and is quickly had.
    var isStorable: Bool {
        switch source {
        case .url, .provided: true
        case .file, .bytes: false
        }
    }
}
