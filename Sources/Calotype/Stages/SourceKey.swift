import CalotypeCore
import CalotypeHTTP

/// What two requests must have in common to share one download.
///
/// All header fields count, so that requests with different credentials never share; the limits count, because they are
/// applied while the bytes come in.
struct SourceKey: Hashable, Sendable {
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
    }

    let place: Place
    let headers: [HeaderField]
    let partition: String?
    let limits: ImageLimits
    var cachePolicy: CachePolicy
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
}
