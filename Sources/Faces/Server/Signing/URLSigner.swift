internal import CalotypeCore
internal import CalotypeDigests
import CalotypeHTTPMessages

/// Makes paths that a server answers.
public struct URLSigner: Sendable {
    /// How a source stands in a path.
    public enum SourceForm: Hashable, Sendable {
        /// Percent-encoded behind `plain`.
        case plain
        /// In URL-safe Base64.
        case base64
    }

    private let key: SigningKey?
    private let size: Int

    /// Creates a signer.
    ///
    /// - Parameters:
    ///   - key: What it signs with; without one the path says that it is not signed.
    ///   - size: How many bytes of the signature are used, 1 to 32.
    public init(key: SigningKey?, size: Int = 32) {
        self.key = key
        self.size = min(max(size, 1), 32)
    }

    /// The path for a source and options such as `w:300`, from its first slash on.
    ///
    /// - Parameters:
    ///   - source: The picture's URL.
    ///   - options: In the order in which they are applied.
    ///   - format: The extension that names the format, if one is to.
    ///   - form: How the source is written.
    /// - Returns: The path.
    /// - Throws: Why there is no signature, which libcrypto says.
    public func path(
        to source: String,
        options: [String] = [],
        format: String? = nil,
        form: SourceForm = .plain
    ) throws -> String {
        let place =
            switch form {
            case .plain:
                "plain/\(PercentEscapes.encoded(source, keeping: "/:"))\(format.map { "@\($0)" } ?? "")"
            case .base64: "\(Base64URL.text(source.utf8))\(format.map { ".\($0)" } ?? "")"
            }
        return try path(signing: (options + [place]).joined(separator: "/"))
    }

    /// The path that is `rest` with its signature before it.
    ///
    /// - Parameter rest: Options and source; a slash at its beginning is let pass.
    /// - Returns: The path from its first slash on.
    /// - Throws: Why there is no signature, which libcrypto says.
    public func path(signing rest: String) throws -> String {
        let rest = TargetPath.denormalised(Substring(rest))
        guard let key else { return "/unsafe/\(rest)" }
        let signature = try key.signature(of: "/" + rest).prefix(size)
        return "/\(Base64URL.text(signature))/\(rest)"
    }
}

extension URLSigner {
    /// Looks whether a server could read what is to be signed: names of options, their arguments, the source.
    ///
    /// What depends on the server is let pass: presets, limits, watermarks, local sources.
    ///
    /// - Parameters:
    ///   - path: A path with its signature, as this signer makes them.
    ///   - now: Seconds since 1970, for paths that expire.
    /// - Throws: What a server would answer.
    public static func check(_ path: String, now: Int) throws(ServerError) {
        var configuration = PathConfiguration()
        configuration.presets = .everyName
        configuration.allowsSecurityOptions = true
        configuration.allowsLocal = true
        configuration.allowsData = true
        configuration.watermark = EncodedPicture(name: "", bytes: [])
        let order = try PathReader(configuration).order(path, now: now)
        if SourceKind(of: order.source) == .web { _ = try SourceKind.webURL(order.source) }
    }
}

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
    ) throws(ServerError) -> [SigningKey] {
        let keys = try bytes(keys, "key")
        let salts = try bytes(salts, "salt")
        guard keys.count == salts.count else {
            throw ServerError.configuration(
                "there are \(keys.count) keys and \(salts.count) salts; each key needs a salt of its own"
            )
        }
        return zip(keys, salts).map { SigningKey(key: $0, salt: $1) }
    }

    private static func bytes(_ text: String, _ what: String) throws(ServerError) -> [[UInt8]] {
        var all: [[UInt8]] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) where !text.isEmpty {
            guard !part.isEmpty, let bytes = Hexadecimal.bytes(part.lowercased()) else {
                throw ServerError.configuration(
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
