import CalotypeHTTPMessages

extension RequestHead {
    /// The maximum size of a head in bytes.
    static let largest = 16 * 1024

    /// Parses the lines of a head.
    ///
    /// Returns `nil` if they are not an HTTP/1 request for a path.
    init?(toOrigin bytes: [UInt8]) {
        // The reason does not matter: the response is 400 in any case.
        guard let head = try? RequestHead(parsing: bytes), let target = head.originForm else { return nil }
        self = head
        self.target = target
    }

    /// The length of the body; 0 without one, `nil` if it is chunked or invalid.
    var bodyLength: Int? {
        // An invalid length is unknown.
        guard case .length(let length) = try? framing() else { return nil }
        return length
    }

    /// Returns the first value called `name` in the query, or `nil` if there is none.
    func query(_ name: String) -> String? {
        queries(name).first
    }

    /// Returns all values called `name` in the query.
    func queries(_ name: String) -> [String] {
        FormPairs.decoded(query.utf8).compactMap { $0?.name == name ? $0?.value : nil }
    }
}
