internal import CalotypeCore

/// Reads the paths of requests: signature, options, source.
public struct PathReader: Sendable {
    private let configuration: PathConfiguration

    /// Creates a reader.
    public init(_ configuration: PathConfiguration) {
        self.configuration = configuration
    }

    /// Reads `target`, the raw target of a request.
    ///
    /// - Parameters:
    ///   - target: as it stands in the request line; what follows a `?` is not looked at.
    ///   - now: seconds since 1970, for paths that expire.
    public func order(_ target: String, now: Int) throws(RequestRefusal) -> ImageOrder {
        throw RequestRefusal(404, "Invalid URL", .invalidURL, "no path is read yet")
    }
}
