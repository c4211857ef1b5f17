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
