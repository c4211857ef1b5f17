package import CalotypeCore
import CalotypeHTTP
package import CalotypeStore
import TaskFlow

/// What two requests must have in common to share one download.
///
/// All header fields count, so that requests with different credentials never share a download. The limits
/// count, because they are enforced during the download. It is an object because each step of a waiting load
/// holds it.
final class SourceKey: Sendable {
    enum Place: Hashable, Sendable {
        case web(WebURL)
        case local(ImageSource)
    }

    /// What a source is known by: its place, unless the request names it.
    enum Name: Hashable, Sendable {
        case place(Place)
        case cacheKey(String)
    }

    /// What the bytes must be.
    enum Content: Hashable, Sendable {
        /// A picture of a supported format.
        case picture
        case anything
        /// Bytes that their reader checks, and decides whether to store.
        case document
        /// Anything, in a file that others read while it arrives.
        case growing
    }

    let place: Place
    let cacheKey: String?
    let headers: [HeaderField]
    let partition: String?
    let limits: ImageLimits
    let cachePolicy: CachePolicy
    let content: Content
    /// The addresses that may be connected to; `nil` uses the pipeline's policy.
    let addressPolicy: AddressPolicy?

    /// Creates the key of the source of `request`.
    ///
    /// - Throws: `invalid_url`, `unsupported_scheme`, `blocked_port`.
    init(
        _ request: ImageRequest,
        _ content: Content = .picture,
        addressPolicy: AddressPolicy? = nil
    ) throws(CalotypeError) {
        if case .url(let text) = request.source {
            place = .web(try WebURL(text))
        } else {
            place = .local(request.source)
        }
        cacheKey = request.cacheKey
        headers = request.headers
        partition = request.partition
        limits = request.limits
        cachePolicy = request.cachePolicy
        self.content = content
        self.addressPolicy = addressPolicy
    }

    /// Creates the key of the same source with another cache policy.
    init(_ key: SourceKey, _ cachePolicy: CachePolicy) {
        place = key.place
        cacheKey = key.cacheKey
        headers = key.headers
        partition = key.partition
        limits = key.limits
        self.cachePolicy = cachePolicy
        content = key.content
        addressPolicy = key.addressPolicy
    }
}

extension SourceKey {
    /// What identifies a source, whatever is made from it and however it is loaded.
    struct Identity: Hashable, Sendable {
        let name: Name
        let headers: [HeaderField]
        let partition: String?
    }

    var identity: Identity { Identity(name: name, headers: headers, partition: partition) }

    private var name: Name { cacheKey.map(Name.cacheKey) ?? .place(place) }
}

extension SourceKey.Identity {
    /// The group of the source's entries in the caches, whatever headers it is requested with.
    var group: StoreGroup {
        let source =
            switch name {
            case .cacheKey(let key): "key \(key)"
            case .place(.web(let url)): StoreGroup.name(of: url)
            case .place(.local(.provided(let provider))): "provided \(provider.id)"
            // Not cached.
            case .place(.local): "local"
            }
        return StoreGroup(partition: partition, source: source)
    }

    /// Creates the identity of a source; `nil` if its URL is invalid.
    fileprivate init?(_ source: SourceName, _ headers: [HeaderField], _ partition: String?) {
        switch source {
        case .cacheKey(let key): name = .cacheKey(key)
        case .source(.url(let text)):
            // The load reports what is wrong with the URL.
            guard let url = try? WebURL(text) else { return nil }
            name = .place(.web(url))
        case .source(let source): name = .place(.local(source))
        }
        self.headers = headers
        self.partition = partition
    }
}

extension ImageRequest {
    var sourceIdentity: SourceKey.Identity? { .init(SourceName(self), headers, partition) }
}

extension RenditionKey {
    /// The source of the picture; `nil` if its URL is invalid.
    var sourceIdentity: SourceKey.Identity? {
        names.source { SourceKey.Identity(source, headers, partition) }
    }

    /// A number that the keys of all pictures of one source share, possibly with those of another.
    static func family(of source: SourceKey.Identity?) -> Int { source?.group.hashValue ?? 0 }
}

extension SourceKey: Hashable {
    static func == (lhs: SourceKey, rhs: SourceKey) -> Bool {
        lhs === rhs
            || lhs.name == rhs.name && lhs.headers == rhs.headers && lhs.partition == rhs.partition
                && lhs.limits == rhs.limits && lhs.cachePolicy == rhs.cachePolicy
                && lhs.content == rhs.content
                && lhs.addressPolicy == rhs.addressPolicy
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(headers)
        hasher.combine(partition)
        hasher.combine(cachePolicy)
        hasher.combine(content)
    }
}

extension StoreGroup {
    /// Creates the group of everything made from the source at `url`, in the partition of requests that name none.
    ///
    /// - Throws: `invalid_url`, `unsupported_scheme`, `blocked_port`.
    package init(url: String) throws(CalotypeError) {
        self.init(source: Self.name(of: try WebURL(url)))
    }

    fileprivate static func name(of url: WebURL) -> String { "url \(url.text)" }
}
