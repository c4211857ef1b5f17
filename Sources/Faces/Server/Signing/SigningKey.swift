internal import CalotypeDigests

/// A secret that paths are signed with.
public struct SigningKey: Hashable, Sendable {
    let key: [UInt8]
    let salt: [UInt8]

    /// Creates a key from its bytes; the salt is put before each path.
    public init(key: [UInt8], salt: [UInt8]) {
        self.key = key
        self.salt = salt
    }

    /// Reads keys and salts, as many of each, in hexadecimal digits and separated by commas.
    ///
    /// - Throws: What is wrong; it tells nothing of the secrets.
    public static func list(
        keys: String,
        salts: String
    ) throws(PathConfigurationError) -> [SigningKey] {
        let keys = try bytes(keys, "key")
        let salts = try bytes(salts, "salt")
        guard keys.count == salts.count else {
            throw PathConfigurationError(
                "there are \(keys.count) keys and \(salts.count) salts; each key needs a salt of its own"
            )
        }
        return zip(keys, salts).map { SigningKey(key: $0, salt: $1) }
    }

    private static func bytes(_ text: String, _ what: String) throws(PathConfigurationError) -> [[UInt8]] {
        var all: [[UInt8]] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) where !text.isEmpty {
            guard !part.isEmpty, let bytes = Hexadecimal.bytes(part.lowercased()) else {
                throw PathConfigurationError(
                    "\(what) \(all.count + 1) is not an even number of hexadecimal digits"
                )
            }
            all.append(bytes)
        }
        return all
    }

    /// The signature of `path`: HMAC-SHA256 of salt and path.
    func signature(of path: String) throws(DigestError) -> [UInt8] {
        var stream = try HMACStream(.sha256, key: key)
        try stream.update(salt)
        try stream.update(Array(path.utf8))
        return try stream.finish().bytes
    }
}
