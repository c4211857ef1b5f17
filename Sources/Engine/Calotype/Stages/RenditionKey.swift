import CalotypeCodec
import CalotypeCore
import CalotypeStore

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
    private(set) var names = KeyNames()

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
        key.names = KeyNames()
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

/// The names that follow from the rest of a key, which all copies of the key share.
///
/// They are derived on first use: a hit in memory needs none of them, and a hit in the store needs them several times.
final class KeyNames: Hashable, Sendable {
    private struct Names {
        var source: SourceKey.Identity??
        var stored: StoreKey??
    }

    private let names = Guarded(Names())

    /// Returns the identity of the source that `derive` returned the first time.
    func source(_ derive: () -> SourceKey.Identity?) -> SourceKey.Identity? {
        if let source = names.withLock({ $0.source }) { return source }
        // Outside the lock: two callers may derive the same name at the same time.
        let source = derive()
        names.withLock { $0.source = .some(source) }
        return source
    }

    /// Returns the name in the store that `derive` returned the first time.
    ///
    /// It contains the header fields that the pipeline sends; a key is used with one pipeline only.
    func stored(_ derive: () -> StoreKey?) -> StoreKey? {
        if let stored = names.withLock({ $0.stored }) { return stored }
        let stored = derive()
        names.withLock { $0.stored = .some(stored) }
        return stored
    }

    /// Always true: they follow from the rest of the key.
    static func == (left: KeyNames, right: KeyNames) -> Bool { true }

    func hash(into hasher: inout Hasher) {}
}

/// What a source is known by, with its URL as written: its place, unless the request names it.
enum SourceName: Hashable, Sendable {
    case source(ImageSource)
    case cacheKey(String)

    init(_ request: ImageRequest) {
        self = request.cacheKey.map(SourceName.cacheKey) ?? .source(request.source)
    }
}
