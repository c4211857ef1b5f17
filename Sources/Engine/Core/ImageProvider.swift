/// A source of the caller's own: a closure that gives encoded bytes, and a name for what it gives.
///
/// Two providers with the same `id` are taken for the same source: their callers share one call and one rendition.
public struct ImageProvider: Hashable, Sendable {
    /// Names the content.
    public let id: String
    /// Gives the encoded bytes; it is cancelled when nobody waits for them any more or when it takes longer than the
    /// pipeline gives a source, and awaited in any case.
    public let load: @Sendable () async throws -> [UInt8]

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - id: Names the content, as a URL would.
    ///   - load: Gives the encoded bytes.
    public init(id: String, load: @escaping @Sendable () async throws -> [UInt8]) {
        self.id = id
        self.load = load
    }

    /// Whether both have the same `id`.
    public static func == (lhs: ImageProvider, rhs: ImageProvider) -> Bool {
        lhs.id == rhs.id
    }

    /// Hashes the `id`.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(id)
    }
}
