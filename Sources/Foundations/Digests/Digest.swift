/// The fingerprint of some bytes.
///
/// Two digests compare in a time that depends on their contents. Where one of them is a secret's, use
/// ``ConstantTime``.
package struct Digest: Hashable, Sendable, CustomStringConvertible {
    /// The digest itself, as many bytes as its function's ``DigestFunction/length``.
    package let bytes: [UInt8]

    /// Takes bytes that are a digest.
    package init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Makes the digest of `bytes`.
    package init(_ function: DigestFunction, of bytes: RawSpan) throws(DigestError) {
        var stream = try DigestStream(function)
        try stream.update(bytes)
        self = try stream.finish()
    }

    /// Makes the digest of `bytes`.
    package init(_ function: DigestFunction, of bytes: [UInt8]) throws(DigestError) {
        try self.init(function, of: unsafe bytes.span.bytes)
    }

    /// Makes the digest of `text` in UTF-8.
    package init(_ function: DigestFunction, of text: String) throws(DigestError) {
        try self.init(function, of: unsafe text.utf8.span.bytes)
    }

    /// The digest in lower-case hexadecimal.
    package var hexadecimal: String { Hexadecimal.text(bytes) }
    package var description: String { hexadecimal }
}
