public import CalotypeCore
public import CalotypeHTTP

/// A bucket of an S3 server, by AWS or another provider, with media as objects and posts as manifests.
///
/// A post's manifest is stored after its media. Below the prefix, a medium is
/// `media/<sha256>-<upload>.<extension>`, and a post is `posts/<key>.json`. Each post has its own objects, so
/// that removing the media of one does not affect another. Files above 16 MiB are sent in parts, and resumed
/// part by part.
///
/// The key needs these permissions: `s3:ListBucket`, `s3:GetObject`, `s3:PutObject`,
/// `s3:ListMultipartUploadParts`, and to clean up, `s3:DeleteObject` and `s3:AbortMultipartUpload`;
/// `s3:ListBucketMultipartUploads` is useful, too.
public struct S3Destination: PublishDestination {
    /// How a URL names a bucket.
    public enum Addressing: Hashable, Sendable {
        /// In the path, which all servers support.
        case path
        /// In the host name, which AWS requires for new buckets; the name must resolve.
        case virtualHost
    }

    /// The location of the signature.
    public enum Signing: Hashable, Sendable {
        /// In the `Authorization` field.
        case headers
        /// In the URL, which expires after 1 s to 7 days.
        ///
        /// A URL that expires before it arrives is signed again.
        case query(expires: Duration)
    }

    /// Returns the current credentials; called again if the server reports an expired session.
    public typealias CredentialSource = @Sendable () async throws -> S3Credentials

    var location: S3Location
    /// The region for signatures.
    public let region: String
    /// How URLs name the bucket, ``Addressing/path`` by default.
    public var addressing: Addressing {
        get { location.addressing }
        set { location.addressing = newValue }
    }
    /// The location of the signature, ``Signing/headers`` by default.
    public var signing = Signing.headers
    /// The base URL at which readers find the bucket's objects; `nil` for the bucket's own URL.
    public var publicBase: WebURL?

    /// The credentials and the offset of the server's clock.
    ///
    /// They are shared for as long as the process runs.
    let identity: S3Identity

    /// Creates a destination.
    ///
    /// - Parameters:
    ///   - endpoint: The server's URL without the bucket, such as `https://s3.eu-central-1.amazonaws.com`.
    ///   - bucket: The bucket's name.
    ///   - prefix: The prefix of all object keys; none by default.
    ///   - region: The region that the server expects in signatures, `us-east-1` by default.
    ///   - credentials: The credentials.
    ///   - refresh: Returns new credentials if the current ones have expired; none by default.
    /// - Throws: `invalid_request` if endpoint, bucket or prefix are invalid.
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

    /// Creates a destination from a URL whose path begins with the bucket.
    ///
    /// An example is `https://example.org/bucket/prefix`.
    ///
    /// - Throws: `invalid_request` if the URL names no bucket.
    public init(
        _ url: WebURL,
        region: String = "us-east-1",
        credentials: S3Credentials
    ) throws(CalotypeError) {
        let parts = url.text.dropFirst("\(url.scheme)://".count).split(separator: "/", maxSplits: 2)
        guard parts.count > 1, !url.text.contains("?"), let bucket = Self.decoded(parts[1]),
            let prefix = Self.decoded(parts.count > 2 ? parts[2] : "")
        else {
            throw CalotypeError(.invalidRequest, "\(url) does not contain a bucket", stage: .request)
        }
        try self.init(
            endpoint: try WebURL("\(url.scheme)://\(parts[0])/"),
            bucket: bucket,
            prefix: prefix,
            region: region,
            credentials: credentials
        )
    }

    /// `true`: each object is sent with its MD5.
    public var needsMD5: Bool { true }

    /// `s3+` and the URL of the bucket and prefix.
    public var name: String {
        let path = "/\(location.bucket)/\(location.prefix)"
        let endpoint = location.endpoint.text
        let base = endpoint.hasSuffix("/") ? endpoint.dropLast() : endpoint[...]
        return "s3+\(base)\(SigV4Encoding.path(path).dropLast())"
    }

    /// Returns a URL with which anyone, such as a browser, can use `method` on an object until it expires.
    ///
    /// Keep the URL secret for as long as it is valid.
    ///
    /// - Parameters:
    ///   - key: The object's full key, such as ``UploadedMedium/id``.
    ///   - method: The permitted method, `GET` by default.
    ///   - expires: The validity, 1 s to 7 days; an hour by default.
    ///   - moment: The start of the validity; now by default.
    /// - Returns: The URL.
    /// - Throws: `invalid_request` for any other validity.
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

/// The location of a bucket and its objects.
struct S3Location: Hashable, Sendable {
    /// The maximum length of a prefix in bytes; a key has at most 1,024.
    private static let prefixLimit = 900

    /// The server's URL, which may include a path.
    let endpoint: WebURL
    /// The bucket's name.
    let bucket: String
    /// The prefix of all keys: empty, or with a slash at its end and none at its beginning.
    let prefix: String
    var addressing = S3Destination.Addressing.path
    private let basePath: String

    /// - Throws: `invalid_request` if endpoint, bucket or prefix are invalid.
    init(endpoint: WebURL, bucket: String, prefix: String) throws(CalotypeError) {
        let rest = endpoint.text.dropFirst("\(endpoint.scheme)://".count)
        let path = rest.firstIndex(of: "/").map { rest[$0...] } ?? ""
        guard !path.contains("?") else { throw Self.invalid("the endpoint \(endpoint) has a query") }
        let parts = prefix.split(separator: "/")
        guard Self.isPart(bucket[...]), !bucket.contains("/"), bucket.utf8.count <= 255 else {
            throw Self.invalid("\"\(bucket.prefix(64))\" is not a valid bucket name")
        }
        guard prefix.utf8.count <= Self.prefixLimit, parts.allSatisfy(Self.isPart) else {
            throw Self.invalid("\"\(prefix.prefix(64))\" is not a valid key prefix")
        }
        self.endpoint = endpoint
        self.bucket = bucket
        self.prefix = parts.map { "\($0)/" }.joined()
        basePath = path.split(separator: "/").map { "/\($0)" }.joined()
    }

    /// The value of the `Host` header.
    var host: String {
        let name = endpoint.host.contains(":") ? "[\(endpoint.host)]" : endpoint.host
        let isDefault = endpoint.port == (endpoint.scheme == .http ? 80 : 443)
        let authority = isDefault ? name : "\(name):\(endpoint.port)"
        return addressing == .path ? authority : "\(bucket).\(authority)"
    }

    /// Returns the encoded path of an object, or of the bucket itself.
    func path(_ key: String?) -> String {
        let whole = (addressing == .path ? ["/\(bucket)"] : []) + (key.map { ["/\($0)"] } ?? [])
        let path = basePath + SigV4Encoding.path(whole.joined())
        return path.isEmpty ? "/" : path
    }

    /// Returns the URL of an object, or of the bucket itself, with an encoded query.
    func url(_ key: String?, query: String = "") throws(CalotypeError) -> WebURL {
        try WebURL("\(endpoint.scheme)://\(host)\(path(key))\(query.isEmpty ? "" : "?\(query)")")
    }

    /// Whether the text stays unchanged as a component of a URL's path.
    private static func isPart(_ text: Substring) -> Bool {
        !text.isEmpty && text != "." && text != ".." && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }

    private static func invalid(_ message: String) -> CalotypeError {
        CalotypeError(.invalidRequest, message, stage: .request)
    }
}
