internal import CalotypeHTTP

/// One request to a bucket, before it is signed.
struct S3Call: Sendable {
    var method: HTTPMethod
    /// The object; the bucket itself where `nil`.
    var key: String?
    var query: [SigV4Request.QueryItem] = []
    var headers: [HTTPHeaders.Field] = []
    var body = HTTPBody.none
    /// What the signature says of the body.
    var payload = SigV4Request.Payload.empty
    var progress: SendProgress?
    /// Whether the server may work for minutes, and send a blank now and then for as long.
    var isSlow = false

    init(_ method: HTTPMethod, _ key: String?, _ query: SigV4Request.QueryItem...) {
        self.method = method
        self.key = key
        self.query = query
    }
}
