import CalotypeDigests

/// Who may sign paths, as it is told piece by piece.
public struct SigningRules: Hashable, Sendable {
    /// The keys; paths need no signature where there is none.
    public var keys: [[UInt8]] = []
    /// A salt for each key.
    public var salts: [[UInt8]] = []
    /// How many bytes of a signature are used, 1 to 32; 32 by default.
    public var size = 32
    /// Texts that pass in the place of any signature; none by default.
    public var trusted: [String] = []

    /// Nobody has to sign.
    public init() {}

    /// What checks the signatures.
    ///
    /// - Throws: where keys and salts are not as many.
    func check() throws(PathConfigurationError) -> SignatureCheck {
        guard keys.count == salts.count else {
            throw PathConfigurationError(
                "there are \(keys.count) keys and \(salts.count) salts; each key needs a salt of its own"
            )
        }
        let pairs = zip(keys, salts).map { SigningKey(key: $0, salt: $1) }
        return try SignatureCheck(keys: pairs, size: size, trusted: trusted)
    }
}
