public import CalotypeCore
public import CalotypeHTTP
public import TaskFlow

/// What document a caller wants: a text that is about pictures, such as the JSON of a search.
public struct DocumentRequest: Hashable, Sendable {
    /// Where it is.
    public var url: String
    /// Fields sent to the origin besides the pipeline's own.
    public var headers: [HeaderField]
    /// How urgent it is.
    public var priority: WorkPriority
    /// How it treats what is stored already.
    public var cachePolicy: CachePolicy
    /// The most bytes of it, 8 MiB unless changed; more is `too_many_bytes`.
    public var limit: ByteCount
    /// Which addresses may be connected to; what the pipeline says where `nil`.
    public var addressPolicy: AddressPolicy?
    /// Whose request it is; requests of different partitions, such as tenants, never share anything.
    public var partition: String?

    /// Creates a request for the document at `url`.
    public init(_ url: String) {
        self.url = url
        headers = []
        priority = .normal
        cachePolicy = .use
        limit = .mebibytes(8)
    }

    /// The request for its bytes.
    var source: ImageRequest {
        var request = ImageRequest(url, priority: priority)
        request.headers = headers
        request.cachePolicy = cachePolicy
        request.limits.sourceBytes = limit
        request.partition = partition
        return request
    }
}
