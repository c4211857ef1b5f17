internal import CalotypeCore
internal import CalotypeHTTP

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
