/// An encoder for a format that Calotype does not write itself.
///
/// Choose it as the output of a request: `.encoded(by: QOI())`. It gets the pixels after scaling, edits and
/// processors, once for all callers that share the result. The result is cached like every other, and its
/// format is `ImageFormat.custom`. It keeps no metadata of its source, so a request for some is refused.
///
/// An encoder runs in this process, whatever `ImageCodecConfiguration.isolation` says.
public protocol ImageEncoding: Sendable {
    /// The name of the format with all settings of the encoder, 1 to 500 bytes, such as `org.example.qoi/2`.
    ///
    /// Results are shared and stored under it, also between runs of a program: equal names must mean equal
    /// results. Begin it with the name of your project, so that it differs from the names of others.
    var identifier: String { get }

    /// Encodes a picture, on a thread of the codec.
    ///
    /// A long encode checks `Task.isCancelled`; nothing else can stop it.
    ///
    /// - Throws: Any error; the result then fails as `encode_failed`. A `CalotypeError` is thrown unchanged,
    ///   and so is a `CancellationError` if nobody waits for the result any more.
    func encode(_ bitmap: Bitmap) throws -> [UInt8]
}

extension OutputFormat {
    /// A format that Calotype does not write itself.
    public static func encoded(by encoder: any ImageEncoding) -> OutputFormat {
        .custom(CustomEncoder(encoder))
    }
}

/// An encoder, identified by the name that it had when it was chosen.
public struct CustomEncoder: Hashable, Sendable, CustomStringConvertible {
    /// The encoder.
    public let encoder: any ImageEncoding
    /// Its name.
    public let identifier: String

    init(_ encoder: any ImageEncoding) {
        self.encoder = encoder
        identifier = encoder.identifier
    }

    /// Whether both have the same identifier.
    public static func == (left: Self, right: Self) -> Bool { left.identifier == right.identifier }

    /// Hashes the identifier.
    public func hash(into hasher: inout Hasher) { hasher.combine(identifier) }

    /// The identifier.
    public var description: String { identifier }

    /// Describes what is wrong with it for a result with these `edits`; `nil` if nothing is.
    package func refused(for edits: PictureEdits) -> String? {
        guard (1...500).contains(identifier.utf8.count) else {
            return "an encoder whose identifier has \(identifier.utf8.count) bytes, which must be 1 to 500"
        }
        if !edits.kept.isEmpty {
            return "a custom encoder and metadata of the source, which it cannot keep"
        }
        return edits.mostBytes == nil
            ? nil : "a custom encoder and a maximum number of bytes, which exclude each other"
    }
}
