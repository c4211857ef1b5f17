/// Writes the text around the parts of a `multipart/form-data` body (RFC 7578).
///
/// Follows the browsers' form (HTML Standard, "Multipart form data").
package struct MultipartWriter: Sendable {
    private static let longestBoundary = 70

    private let boundary: String

    /// Creates a writer.
    ///
    /// - Parameter key: A text that no part contains, such as a UUID; only its letters, digits and hyphens
    ///   are used.
    package init(key: String) {
        let isPlain = { (character: Character) in
            character.isASCII && (character.isLetter || character.isNumber || character == "-")
        }
        boundary = String(("calotype-" + key.filter(isPlain)).prefix(Self.longestBoundary))
    }

    /// The value of the `Content-Type` field.
    package var contentType: String { "multipart/form-data; boundary=\(boundary)" }

    /// The end of the body.
    package var end: String { "--\(boundary)--\r\n" }

    /// A whole text part, whose line breaks stay as they are.
    package func part(_ name: String, _ value: String) -> String {
        "--\(boundary)\r\n\(Self.disposition(name))\r\n\r\n\(value)\r\n"
    }

    /// The text before the bytes of a file; a line end follows the bytes.
    ///
    /// A media type that could end its line is replaced by `application/octet-stream`.
    package func fileHead(_ name: String, fileName: String, mediaType: String) -> String {
        let isPlain = !mediaType.isEmpty && mediaType.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
        return "--\(boundary)\r\n\(Self.disposition(name)); filename=\"\(Self.escaped(fileName))\"\r\n"
            + "Content-Type: \(isPlain ? mediaType : "application/octet-stream")\r\n\r\n"
    }

    private static func disposition(_ name: String) -> String {
        "Content-Disposition: form-data; name=\"\(escaped(name))\""
    }

    /// Percent-encodes what would end the quotes or the line.
    ///
    /// Everything else is plain UTF-8, even the percent sign.
    private static func escaped(_ name: String) -> String {
        var escaped = ""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "\"": escaped += "%22"
            case "\r": escaped += "%0D"
            case "\n": escaped += "%0A"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
