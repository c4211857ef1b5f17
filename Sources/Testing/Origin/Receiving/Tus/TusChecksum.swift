import CalotypeDigests
import FoundationEssentials

/// The digest that a client tells of a piece.
struct TusChecksum: Sendable {
    static let names = ["sha1", "sha256", "md5"]

    let function: DigestFunction
    let bytes: [UInt8]

    /// Reads what Upload-Checksum says; `nil` where the request has none.
    ///
    /// - Throws: 400 where it makes no sense.
    static func of(_ request: RequestHead) throws(Refusal) -> TusChecksum? {
        guard let text = request.fields["upload-checksum"] else { return nil }
        let words = text.split(separator: " ")
        guard words.count == 2, let data = Data(base64Encoded: String(words[1])) else {
            throw .receiving(400, "Upload-Checksum is a name and a digest in Base64.")
        }
        let function: DigestFunction
        switch words[0] {
        case "sha1": function = .sha1
        case "sha256": function = .sha256
        case "md5": function = .md5
        default: throw .receiving(400, "The digest is one of \(names.joined(separator: ", ")).")
        }
        return TusChecksum(function: function, bytes: Array(data))
    }
}
