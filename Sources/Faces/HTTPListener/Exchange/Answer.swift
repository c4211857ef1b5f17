package import CalotypeHTTPMessages

/// A response as it is sent, after conditions, ranges and HEAD have been applied.
package struct Answer: Sendable {
    /// The content after the head.
    package enum Content: Sendable {
        /// No bytes; `length` is the length in the head, as for HEAD.
        case nothing(length: Int?)
        /// A range of these bytes.
        case bytes([UInt8], Range<Int>)
        /// The bytes that the task writes.
        case stream(length: Int?)
    }

    package let status: Int
    package let fields: [HeaderField]
    package let content: Content
    /// The value that the responder receives back at the end.
    var note: (any Sendable)?

    /// The number of bytes after the head; `nil` if only the stream knows it.
    var knownBytes: Int? {
        switch content {
        case .nothing: 0
        case .bytes(_, let range): range.count
        case .stream: nil
        }
    }

    /// Creates the response to send from the responder's response.
    ///
    /// - Parameters:
    ///   - response: The responder's response.
    ///   - request: The request; its method, conditions and range apply.
    ///   - name: The value of the `Server` field; empty to omit the field.
    ///   - closes: Whether the connection ends with the response.
    init(_ response: OutgoingResponse, to request: IncomingRequest, from name: String, closes: Bool) {
        note = response.note
        let conditional = ConditionalAnswer(response, to: request, now: .now())
        var response = response
        conditional.apply(to: &response)
        status = (200...999).contains(response.status) ? response.status : 500
        content = Self.content(response, conditional, isHead: request.method == "HEAD")
        let asksToClose = response.headers.values(of: "Connection").contains { $0.lowercased() == "close" }
        var fields = response.headers.filter { Self.isSent($0) }
        if !name.isEmpty, response.headers["Server"] == nil {
            fields.append(HeaderField("Server", name))
        }
        if closes || asksToClose { fields.append(HeaderField("Connection", "close")) }
        self.fields = fields
    }

    /// Creates a response of the listener itself, with the reason as text.
    init(_ status: Int, _ reason: String, from name: String) {
        self.status = status
        let text = Array("\(reason)\n".utf8)
        content = .bytes(text, 0..<text.count)
        fields =
            [
                HeaderField("Content-Type", "text/plain; charset=utf-8"),
                HeaderField("X-Content-Type-Options", "nosniff"),
                HeaderField("Connection", "close"),
            ] + (name.isEmpty ? [] : [HeaderField("Server", name)])
    }

    /// Returns the function that writes the bytes in the request's task; `nil` if there is nothing to write.
    static func writing(
        _ response: OutgoingResponse,
        for answer: Answer
    ) -> (@Sendable (BodyWriter) async throws -> Void)? {
        guard case .stream = answer.content else { return nil }
        switch response.body {
        case .none, .bytes: return nil
        case .written(_, let write): return write
        case .stream(_, let sequence):
            return { writer in for try await piece in sequence { try await writer.write(piece) } }
        }
    }

    private static func content(
        _ response: OutgoingResponse,
        _ conditional: ConditionalAnswer,
        isHead: Bool
    ) -> Content {
        let isBodyless = isHead || response.status == 304 || response.status == 204
        switch response.body {
        // A 304 has the length of the image that it represents, or none (RFC 9110, section 8.6).
        case .none: return .nothing(length: response.status == 304 ? nil : 0)
        case .bytes(let bytes):
            let range = conditional.range ?? 0..<bytes.count
            return isBodyless ? .nothing(length: range.count) : .bytes(bytes, range)
        case .stream(let length, _), .written(let length, _):
            return isBodyless ? .nothing(length: length) : .stream(length: length)
        }
    }

    private static let own = [
        "Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive", "Upgrade", "Trailer",
    ]

    private static func isSent(_ field: HeaderField) -> Bool {
        !own.contains { field.hasName($0) }
    }
}
