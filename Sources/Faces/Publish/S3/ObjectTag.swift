internal import CalotypeDigests
internal import CalotypeHTTP

/// The entity tag of an object or a part, without quotes.
///
/// It is the MD5 of the bytes, or of the parts' MD5 with their number behind a hyphen, unless the server encrypts with keys
/// that it does not own.
struct ObjectTag: Hashable, Sendable, CustomStringConvertible {
    let text: String

    /// Takes a tag as it stands in a field or in a document.
    init(_ text: some StringProtocol) {
        let bare = text.filter { !$0.isWhitespace && $0 != "\"" }
        self.text = bare.contains { $0.isUppercase } ? Self.lowercased(String(bare)) : String(bare)
    }

    init(_ digest: Digest) {
        text = digest.hexadecimal
    }

    /// The tag of an object that was put together from parts with these digests, in order.
    init(parts digests: [Digest]) throws(DigestError) {
        var stream = try DigestStream(.md5)
        for digest in digests { try stream.update(digest.bytes) }
        text = "\(try stream.finish().hexadecimal)-\(digests.count)"
    }

    var description: String { text }

    /// Whether the tags in these answers say nothing of the bytes.
    static func isOpaque(_ headers: HTTPHeaders) -> Bool {
        let encryption = headers["x-amz-server-side-encryption"] ?? "AES256"
        return encryption.uppercased() != "AES256"
            || headers["x-amz-server-side-encryption-customer-algorithm"] != nil
    }

    /// Digits are the same in both cases; whatever else a server may use is not.
    private static func lowercased(_ text: String) -> String {
        let isDigest = text.utf8.allSatisfy { byte in "0123456789abcdefABCDEF-".utf8.contains(byte) }
        return isDigest ? text.lowercased() : text
    }
}
