internal import CalotypeCore
internal import CalotypeDigests

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
