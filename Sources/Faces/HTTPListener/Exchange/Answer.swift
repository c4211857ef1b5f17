package import CalotypeHTTPMessages

/// An answer as it is sent: conditions, ranges and HEAD are settled.
package struct Answer: Sendable {
    /// What follows the head.
    package enum Content: Sendable {
        /// No bytes; `length` is what the head tells, as for HEAD.
        case nothing(length: Int?)
        /// These of the bytes.
        case bytes([UInt8], Range<Int>)
        /// What the task writes.
        case stream(length: Int?)
    }

    package let status: Int
    package let fields: [HeaderField]
    package let content: Content
    /// What the responder is told again at the end.
    var note: (any Sendable)?

    /// The bytes that follow the head; `nil` where only the stream knows.
    var knownBytes: Int? {
        switch content {
        case .nothing: 0
        case .bytes(_, let range): range.count
        case .stream: nil
        }
    }

    /// Makes what is sent of what was answered.
    ///
    /// - Parameters:
    ///   - response: What was answered.
    ///   - request: Whom to; its method, conditions and range count.
    ///   - name: What `Server` says; empty for no such field.
    ///   - closes: Whether the connection ends with the answer.
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

    /// An answer of the listener itself, with its reason as text.
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

    /// What writes the bytes in the request's task; `nil` where there is nothing to write.
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
        // A 304 has the length of the picture that it stands for, or none (RFC 9110, section 8.6).
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
