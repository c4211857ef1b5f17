package import CalotypeCore
package import CalotypeHTTP

/// A `multipart/form-data` body (RFC 7578), written as browsers write it (HTML, "Multipart form data").
///
/// Files are not read before they are sent.
package struct MultipartForm: Sendable {
    private static let longestBoundary = 70

    private let boundary: String
    private var parts: [HTTPBody.Part] = []

    /// Creates an empty form.
    ///
    /// - Parameter key: What no part has in it, such as a UUID; what is no letter, digit or hyphen in it is left out.
    package init(key: String) {
        let isPlain = { (character: Character) in
            character.isASCII && (character.isLetter || character.isNumber || character == "-")
        }
        boundary = String(("calotype-" + key.filter(isPlain)).prefix(Self.longestBoundary))
    }

    /// The value of the `Content-Type` field.
    package var contentType: String { "multipart/form-data; boundary=\(boundary)" }

    /// Adds a text; its line breaks stay as they are.
    package mutating func append(_ name: String, _ value: String) {
        append("--\(boundary)\r\n\(Self.disposition(name))\r\n\r\n\(value)\r\n")
    }

    /// Adds a file.
    ///
    /// - Returns: How many bytes of the body come before its first.
    /// - Throws: `invalid_request` where the file has no such bytes as its description says.
    @discardableResult
    package mutating func append(
        _ name: String,
        _ file: SourceFile,
        name fileName: String,
        type: MediaType
    ) throws -> ByteCount {
        append(
            "--\(boundary)\r\n\(Self.disposition(name)); filename=\"\(Self.escaped(fileName))\"\r\n"
                + "Content-Type: \(Self.fieldValue(type))\r\n\r\n"
        )
        let start = length
        parts += try file.body().parts
        append("\r\n")
        return start
    }

    /// The whole body.
    package func body() throws -> HTTPBody {
        try HTTPBody(parts + [.bytes(Array("--\(boundary)--\r\n".utf8))])
    }

    private var length: ByteCount { ByteCount(parts.reduce(0) { $0 + $1.length.bytes }) }

    private mutating func append(_ text: String) {
        parts.append(.bytes(Array(text.utf8)))
    }

    private static func disposition(_ name: String) -> String {
        "Content-Disposition: form-data; name=\"\(escaped(name))\""
    }

    /// What would end the quotes or the line is percent-encoded; all else is UTF-8 as it is, also the percent sign.
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

    /// The type's name, unless it could end the line.
    private static func fieldValue(_ type: MediaType) -> String {
        let isPlain = type.name.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
        return isPlain && !type.name.isEmpty ? type.name : "application/octet-stream"
    }
}

extension HTTPRequest {
    /// A request that carries a form.
    package init(_ url: WebURL, method: HTTPMethod = .post, form: MultipartForm) throws {
        self.init(url, method: method, body: try form.body())
        try addHeader("Content-Type", form.contentType)
    }
}
