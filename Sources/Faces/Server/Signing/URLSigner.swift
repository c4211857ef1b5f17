internal import CalotypeCore
internal import CalotypeDigests
import CalotypeHTTPMessages

/// Creates signed paths for a server.
public struct URLSigner: Sendable {
    /// How a path contains its source.
    public enum SourceForm: Hashable, Sendable {
        /// Percent-encoded after `plain`.
        case plain
        /// In URL-safe Base64.
        case base64
    }

    private let key: SigningKey?
    private let size: Int

    /// Creates a signer.
    ///
    /// - Parameters:
    ///   - key: The key for signing; without one, paths are marked as unsigned.
    ///   - size: The number of signature bytes in use, 1 to 32.
    public init(key: SigningKey?, size: Int = 32) {
        self.key = key
        self.size = min(max(size, 1), 32)
    }

    /// Returns the path for a source and options such as `w:300`, with a leading slash.
    ///
    /// - Parameters:
    ///   - source: The image's URL.
    ///   - options: The options in the order in which they are applied.
    ///   - format: The extension that names the format, if any.
    ///   - form: How the source is written.
    /// - Returns: The path.
    /// - Throws: The error from libcrypto if signing fails.
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

    /// Returns the path that consists of the signature of `rest` and `rest`.
    ///
    /// - Parameter rest: Options and source; a leading slash is ignored.
    /// - Returns: The path with a leading slash.
    /// - Throws: The error from libcrypto if signing fails.
    public func path(signing rest: String) throws -> String {
        let rest = TargetPath.denormalised(Substring(rest))
        guard let key else { return "/unsafe/\(rest)" }
        let signature = try key.signature(of: "/" + rest).prefix(size)
        return "/\(Base64URL.text(signature))/\(rest)"
    }
}

extension URLSigner {
    /// Checks whether a server could read a path: names of options, their arguments, the source.
    ///
    /// Everything that depends on the server is accepted: presets, limits, watermarks, local sources.
    ///
    /// - Parameters:
    ///   - path: A path with its signature, as this signer creates it.
    ///   - now: The current time in seconds since 1970, for paths that expire.
    /// - Throws: The error that a server would respond with.
    public static func check(_ path: String, now: Int) throws(ServerError) {
        var configuration = PathConfiguration()
        configuration.presets = .everyName
        configuration.allowsSecurityOptions = true
        configuration.allowsLocal = true
        configuration.allowsData = true
        configuration.watermark = EncodedPicture(name: "", bytes: [])
        let thumbnail = try PathReader(configuration).thumbnail(path, now: now)
        if SourceKind(of: thumbnail.source) == .web { _ = try SourceKind.webURL(thumbnail.source) }
    }
}

/// A secret for signing paths.
public struct SigningKey: Hashable, Sendable {
    let key: [UInt8]
    let salt: [UInt8]

    /// Creates a key from its bytes.
    ///
    /// The salt precedes each path.
    public init(key: [UInt8], salt: [UInt8]) {
        self.key = key
        self.salt = salt
    }

    /// Parses keys and an equal number of salts, in hexadecimal digits and separated by commas.
    ///
    /// - Throws: The error, which reveals nothing about the secrets.
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

    /// Returns the signature of `path`: HMAC-SHA256 of salt and path.
    func signature(of path: String) throws(DigestError) -> [UInt8] {
        var stream = try HMACStream(.sha256, key: key)
        try stream.update(salt)
        try stream.update(Array(path.utf8))
        return try stream.finish().bytes
    }
}
