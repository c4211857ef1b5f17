import CalotypeCore
import CalotypeHTTP

/// What two requests must have in common to share one download.
///
/// All header fields count, so that requests with different credentials never share; the limits count, because they are
/// applied while the bytes come in. It is an object because each step of a load that waits holds it.
final class SourceKey: Sendable {
    enum Place: Hashable, Sendable {
        case web(WebURL)
        case local(ImageSource)
    }

    /// What the bytes have to be.
    enum Content: Hashable, Sendable {
        /// A picture of a format that is read.
        case picture
        case anything
        /// What its reader accepts, who decides whether it is kept.
        case document
        /// Anything, in a file that others read while it comes in.
        case growing
    }

    let place: Place
    let headers: [HeaderField]
    let partition: String?
    let limits: ImageLimits
    let cachePolicy: CachePolicy
    let content: Content
    /// Which addresses may be connected to; what the pipeline says where `nil`.
    let addressPolicy: AddressPolicy?

    /// The key of the bytes that `request` needs.
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
        headers = request.headers
        partition = request.partition
        limits = request.limits
        cachePolicy = request.cachePolicy
        self.content = content
        self.addressPolicy = addressPolicy
    }

    /// The key of the same bytes, with another treatment of what is stored.
    init(_ key: SourceKey, _ cachePolicy: CachePolicy) {
        place = key.place
        headers = key.headers
        partition = key.partition
        limits = key.limits
        self.cachePolicy = cachePolicy
        content = key.content
        addressPolicy = key.addressPolicy
    }
}

extension SourceKey {
    /// What tells sources apart, whatever is made of them and however they are treated.
    struct Identity: Hashable, Sendable {
        let place: Place
        let headers: [HeaderField]
        let partition: String?
    }

    var identity: Identity { Identity(place: place, headers: headers, partition: partition) }
}

extension SourceKey.Identity {
    /// The source that a load asks for; `nil` for a URL that nobody can load.
    fileprivate init?(_ source: ImageSource, _ headers: [HeaderField], _ partition: String?) {
        if case .url(let text) = source {
            // What is wrong with a URL is reported by the load.
            guard let url = try? WebURL(text) else { return nil }
            place = .web(url)
        } else {
            place = .local(source)
        }
        self.headers = headers
        self.partition = partition
    }
}

extension ImageRequest {
    var sourceIdentity: SourceKey.Identity? { .init(source, headers, partition) }
}

extension RenditionKey {
    /// The source that the picture is made of; `nil` for a URL that nobody can load.
    var sourceIdentity: SourceKey.Identity? { .init(source, headers, partition) }

    /// What the keys of all pictures of one source have in common; those of another source may have it too.
    static func family(of source: SourceKey.Identity?) -> Int { source.hashValue }
}

extension SourceKey: Hashable {
    static func == (lhs: SourceKey, rhs: SourceKey) -> Bool {
        lhs === rhs
            || lhs.place == rhs.place && lhs.headers == rhs.headers && lhs.partition == rhs.partition
                && lhs.limits == rhs.limits && lhs.cachePolicy == rhs.cachePolicy
                && lhs.content == rhs.content
                && lhs.addressPolicy == rhs.addressPolicy
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(place)
        hasher.combine(headers)
        hasher.combine(partition)
        hasher.combine(cachePolicy)
        hasher.combine(content)
    }
}
