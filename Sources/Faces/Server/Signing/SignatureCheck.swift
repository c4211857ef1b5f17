internal import CalotypeCore
import CalotypeDigests

/// The settings for signed paths, as they are configured separately.
public struct SigningRules: Hashable, Sendable {
    /// The keys; without any, paths need no signature.
    public var keys: [[UInt8]] = []
    /// A salt for each key.
    public var salts: [[UInt8]] = []
    /// The number of signature bytes in use, 1 to 32; 32 by default.
    public var size = 32
    /// Texts that are accepted instead of a signature; none by default.
    public var trusted: [String] = []

    /// Creates rules that require no signature.
    public init() {}

    /// Creates the check of signatures.
    ///
    /// - Throws: An error if the numbers of keys and salts differ.
    func check() throws(ServerError) -> SignatureCheck {
        guard keys.count == salts.count else {
            throw ServerError.configuration(
                "there are \(keys.count) keys and \(salts.count) salts; each key needs a salt of its own"
            )
        }
        let pairs = zip(keys, salts).map { SigningKey(key: $0, salt: $1) }
        return try SignatureCheck(keys: pairs, size: size, trusted: trusted)
    }
}

/// Checks the signatures of paths.
public struct SignatureCheck: Sendable {
    private let keys: [SigningKey]
    private let size: Int
    private let trusted: [[UInt8]]

    /// Creates a check that accepts every path.
    public init() {
        (keys, size, trusted) = ([], 32, [])
    }

    /// Creates a check.
    ///
    /// - Parameters:
    ///   - keys: Any of them may sign a path; without keys, every path is accepted.
    ///   - size: The number of signature bytes in use, 1 to 32.
    ///   - trusted: Texts that are accepted instead of a signature.
    /// - Throws: The error in the settings.
    public init(
        keys: [SigningKey],
        size: Int = 32,
        trusted: [String] = []
    ) throws(ServerError) {
        guard (1...32).contains(size) else {
            throw ServerError.configuration("a signature must have 1 to 32 bytes, not \(size)")
        }
        guard !trusted.contains(where: { $0.isEmpty || $0.utf8.contains(UInt8(ascii: "/")) }) else {
            throw ServerError.configuration(
                "a trusted signature must not be empty or contain a slash"
            )
        }
        self.keys = keys
        self.size = size
        self.trusted = trusted.map { Array($0.utf8) }
    }

    /// Whether paths must be signed.
    public var isOn: Bool { !keys.isEmpty }

    /// Throws unless `signature` is the signature of `rest`, which follows it in the path.
    func verify(_ signature: Substring, of rest: String) throws(ServerError) {
        let looksLikeOption = signature.utf8.contains(UInt8(ascii: ":"))
        guard isOn else {
            guard !looksLikeOption else {
                throw .unsigned(
                    "the path has no signature: it begins with \(ServerError.quoted(signature))"
                )
            }
            return
        }
        if isTrusted(signature) { return }
        guard try isRight(signature, of: "/" + rest) else {
            let hint = looksLikeOption ? "; it is an option, so the signature may be missing" : ""
            throw .unsigned("the signature does not match the path\(hint)")
        }
    }

    private func isTrusted(_ signature: Substring) -> Bool {
        let given = Array(signature.utf8)
        return trusted.reduce(false) { ConstantTime.areEqual($1, given) || $0 }
    }

    /// Compares with the signatures of all keys, so that the time does not reveal which one matches.
    private func isRight(_ signature: Substring, of path: String) throws(ServerError) -> Bool {
        guard let given = Base64URL.bytes(signature.utf8, isStrict: true), given.count == size else {
            return false
        }
        var isRight = false
        for key in keys {
            do throws(DigestError) {
                let right = try Array(key.signature(of: path).prefix(size))
                isRight = ConstantTime.areEqual(right, given) || isRight
            } catch {
                throw ServerError(500, "Internal error", .invalidSignature, "\(error)")
            }
        }
        return isRight
    }
}
