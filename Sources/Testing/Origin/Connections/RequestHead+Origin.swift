import CalotypeHTTPMessages

extension RequestHead {
    /// The most bytes of a head.
    static let largest = 16 * 1024

    /// Parses the lines of a head; `nil` if they are not an HTTP/1 request for a path.
    init?(toOrigin bytes: [UInt8]) {
        // The reason does not matter: the response is 400 in any case.
        guard let head = try? RequestHead(parsing: bytes), let target = head.originForm else { return nil }
        self = head
        self.target = target
    }

    /// The length of the body, 0 without one; `nil` if it is sent in chunks, or is not valid.
    var bodyLength: Int? {
        // A length that is not valid is unknown.
        guard case .length(let length) = try? framing() else { return nil }
        return length
    }

    /// The first value called `name` in the query; `nil` if there is none.
    func query(_ name: String) -> String? {
        queries(name).first
    }

    /// All values called `name` in the query.
    func queries(_ name: String) -> [String] {
        FormPairs.decoded(query.utf8).compactMap { $0?.name == name ? $0?.value : nil }
    }
}
