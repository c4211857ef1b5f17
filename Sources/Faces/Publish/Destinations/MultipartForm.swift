package import CalotypeCore
package import CalotypeHTTP
import CalotypeHTTPMessages

/// A `multipart/form-data` body; files are read only when they are sent.
package struct MultipartForm: Sendable {
    private let writer: MultipartWriter
    private var parts: [HTTPBody.Part] = []

    /// Creates an empty form.
    ///
    /// - Parameter key: A string that no part contains, such as a UUID.
    package init(key: String) {
        writer = MultipartWriter(key: key)
    }

    /// The value of the `Content-Type` header field.
    package var contentType: String { writer.contentType }

    /// Adds a text field; its line breaks are preserved.
    package mutating func append(_ name: String, _ value: String) {
        append(writer.part(name, value))
    }

    /// Adds a file.
    ///
    /// - Returns: The number of bytes in the body before the file's first byte.
    /// - Throws: `invalid_request` if the file has fewer bytes than its description says.
    @discardableResult
    package mutating func append(
        _ name: String,
        _ file: SourceFile,
        name fileName: String,
        type: MediaType
    ) throws -> ByteCount {
        append(writer.fileHead(name, fileName: fileName, mediaType: type.name))
        let start = length
        parts += try file.body().parts
        append("\r\n")
        return start
    }

    /// Returns the whole body.
    package func body() throws -> HTTPBody {
        try HTTPBody(parts + [.bytes(Array(writer.end.utf8))])
    }

    private var length: ByteCount { ByteCount(parts.reduce(0) { $0 + $1.length.bytes }) }

    private mutating func append(_ text: String) {
        parts.append(.bytes(Array(text.utf8)))
    }
}

extension HTTPRequest {
    /// Creates a request with a form as its body.
    package init(_ url: WebURL, method: HTTPMethod = .post, form: MultipartForm) throws {
        self.init(url, method: method, body: try form.body())
        try addHeader("Content-Type", form.contentType)
    }
}
