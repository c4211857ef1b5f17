public import CalotypeCore
public import CalotypeHTTP

/// A bucket of an S3 server, AWS's or another's: media as objects, and each post as a manifest that is put last.
///
/// A medium is `media/<sha256>-<upload>.<extension>` below the prefix, an object of its own in each post that shows it, so that
/// removing one post's media takes none from another; a post is `posts/<key>.json`. Files above 16 MiB are sent in parts, and
/// resumed part by part.
///
/// The key needs these permissions: `s3:ListBucket`, `s3:GetObject`, `s3:PutObject`, `s3:ListMultipartUploadParts`, and to clean
/// up `s3:DeleteObject` and `s3:AbortMultipartUpload`; `s3:ListBucketMultipartUploads` is of use, too.
public struct S3Destination: PublishDestination {
    /// How a bucket is named in a URL.
    public enum Addressing: Hashable, Sendable {
        /// In the path, which all servers understand.
        case path
        /// In the host's name, which AWS wants of new buckets; the name must resolve.
        case virtualHost
    }

    /// Where the signature is.
    public enum Signing: Hashable, Sendable {
        /// In the `Authorization` field.
        case headers
        /// In the URL, which is void after a time of 1 s to 7 days; one that has become void on its way is signed again.
        case query(expires: Duration)
    }

    /// Tells who the client is now; called again when the server says that a session is over.
    public typealias CredentialSource = @Sendable () async throws -> S3Credentials

    var location: S3Location
    /// The region in signatures.
    public let region: String
    /// How the bucket is named in URLs, ``Addressing/path`` by default.
    public var addressing: Addressing {
        get { location.addressing }
        set { location.addressing = newValue }
    }
    /// Where the signature is, ``Signing/headers`` by default.
    public var signing = Signing.headers
    /// Where readers find the bucket's objects; the bucket's own URL where `nil`.
    public var publicBase: WebURL?

    /// Who the client is, and the difference between the server's clock and this machine's, for as long as the process runs.
    let identity: S3Identity

    /// Creates a destination.
    ///
    /// - Parameters:
    ///   - endpoint: The server's URL without the bucket, such as `https://s3.eu-central-1.amazonaws.com`.
    ///   - bucket: The bucket's name.
    ///   - prefix: What the keys of all objects begin with; none by default.
    ///   - region: The region that the server wants in signatures, `us-east-1` by default.
    ///   - credentials: Who the client is.
    ///   - refresh: Gives new credentials when those are void; nobody does by default.
    /// - Throws: `invalid_request` where endpoint, bucket or prefix cannot be such.
    public init(
        endpoint: WebURL,
        bucket: String,
        prefix: String = "",
        region: String = "us-east-1",
        credentials: S3Credentials,
        refresh: CredentialSource? = nil
    ) throws(CalotypeError) {
        location = try S3Location(endpoint: endpoint, bucket: bucket, prefix: prefix)
        self.region = region
        identity = S3Identity(credentials, refresh)
    }

    /// Creates the destination of a URL whose path begins with the bucket, such as `https://example.org/bucket/prefix`.
    ///
    /// - Throws: `invalid_request` where it names no bucket.
    public init(
        _ url: WebURL,
        region: String = "us-east-1",
        credentials: S3Credentials
    ) throws(CalotypeError) {
        let parts = url.text.dropFirst("\(url.scheme)://".count).split(separator: "/", maxSplits: 2)
        guard parts.count > 1, !url.text.contains("?"), let bucket = Self.decoded(parts[1]),
            let prefix = Self.decoded(parts.count > 2 ? parts[2] : "")
        else {
            throw CalotypeError(.invalidRequest, "\(url) names no bucket", stage: .request)
        }
        try self.init(
            endpoint: try WebURL("\(url.scheme)://\(parts[0])/"),
            bucket: bucket,
            prefix: prefix,
            region: region,
            credentials: credentials
        )
    }

    /// It does: each object is sent with its MD5.
    public var needsMD5: Bool { true }

    /// `s3+` and the URL of bucket and prefix.
    public var name: String {
        let path = "/\(location.bucket)/\(location.prefix)"
        let endpoint = location.endpoint.text
        let base = endpoint.hasSuffix("/") ? endpoint.dropLast() : endpoint[...]
        return "s3+\(base)\(SigV4Encoding.path(path).dropLast())"
    }

    /// The URL by which anybody may do `method` with an object until it expires, as when it is shown to a browser.
    ///
    /// It is a secret for as long as it is valid.
    ///
    /// - Parameters:
    ///   - key: The object's whole key, such as ``UploadedMedium/id``.
    ///   - method: What may be done, `GET` by default.
    ///   - expires: For how long, 1 s to 7 days; an hour by default.
    ///   - moment: From when on; now by default.
    /// - Returns: The URL.
    /// - Throws: `invalid_request` for another time.
    public func presignedURL(
        for key: String,
        method: HTTPMethod = .get,
        expires: Duration = .seconds(3600),
        at moment: WallTime = .now()
    ) throws(CalotypeError) -> WebURL {
        try Self.check(expires)
        let signer = SigV4Signer(credentials: identity.credentials, region: region)
        let request = SigV4Request(method: method, host: location.host, path: location.path(key))
        return try location.url(key, query: signer.query(for: request, at: moment, expires: expires))
    }

    private static func decoded(_ text: Substring) -> String? {
        PercentEscapes.decoded(text.utf8).map { String(decoding: $0, as: UTF8.self) }
    }

    static func check(_ expires: Duration) throws(CalotypeError) {
        guard (.seconds(1) ... .seconds(604_800)).contains(expires) else {
            throw CalotypeError(
                .invalidRequest,
                "a presigned URL is valid for 1 s to 7 days, not for \(expires)",
                stage: .request
            )
        }
    }
}

/// Where a bucket and its objects are.
struct S3Location: Hashable, Sendable {
    /// The most bytes of a prefix: a key has 1,024 at most.
    private static let prefixLimit = 900

    /// The server, perhaps with a path in front of its own.
    let endpoint: WebURL
    /// The bucket's name.
    let bucket: String
    /// What all keys begin with: empty, or with a slash at its end and none at its beginning.
    let prefix: String
    var addressing = S3Destination.Addressing.path
    private let basePath: String

    /// - Throws: `invalid_request` where endpoint, bucket or prefix cannot be such.
    init(endpoint: WebURL, bucket: String, prefix: String) throws(CalotypeError) {
        let rest = endpoint.text.dropFirst("\(endpoint.scheme)://".count)
        let path = rest.firstIndex(of: "/").map { rest[$0...] } ?? ""
        guard !path.contains("?") else { throw Self.invalid("the endpoint \(endpoint) has a query") }
        let parts = prefix.split(separator: "/")
        guard Self.isPart(bucket[...]), !bucket.contains("/"), bucket.utf8.count <= 255 else {
            throw Self.invalid("\"\(bucket.prefix(64))\" is not the name of a bucket")
        }
        guard prefix.utf8.count <= Self.prefixLimit, parts.allSatisfy(Self.isPart) else {
            throw Self.invalid("\"\(prefix.prefix(64))\" cannot be the beginning of a key")
        }
        self.endpoint = endpoint
        self.bucket = bucket
        self.prefix = parts.map { "\($0)/" }.joined()
        basePath = path.split(separator: "/").map { "/\($0)" }.joined()
    }

    /// The value of the `Host` field.
    var host: String {
        let name = endpoint.host.contains(":") ? "[\(endpoint.host)]" : endpoint.host
        let isDefault = endpoint.port == (endpoint.scheme == .http ? 80 : 443)
        let authority = isDefault ? name : "\(name):\(endpoint.port)"
        return addressing == .path ? authority : "\(bucket).\(authority)"
    }

    /// The path of an object, or of the bucket itself, as it is sent.
    func path(_ key: String?) -> String {
        let whole = (addressing == .path ? ["/\(bucket)"] : []) + (key.map { ["/\($0)"] } ?? [])
        let path = basePath + SigV4Encoding.path(whole.joined())
        return path.isEmpty ? "/" : path
    }

    /// The URL of an object, or of the bucket itself, with a query that is encoded already.
    func url(_ key: String?, query: String = "") throws(CalotypeError) -> WebURL {
        try WebURL("\(endpoint.scheme)://\(host)\(path(key))\(query.isEmpty ? "" : "?\(query)")")
    }

    /// Whether it stays what it is in a URL's path.
    private static func isPart(_ text: Substring) -> Bool {
        !text.isEmpty && text != "." && text != ".." && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }

    private static func invalid(_ message: String) -> CalotypeError {
        CalotypeError(.invalidRequest, message, stage: .request)
    }
}
