public import CalotypeCore
public import CalotypeHTTP

/// What a scripted origin answers to one request, step by step.
public struct ScriptedAnswer: Sendable {
    /// The length that the head announces.
    public enum Length: Hashable, Sendable {
        /// The number of bytes in the script.
        case actual
        /// None, as a chunked body has.
        case unknown
        /// Another one. More than there is ends in `truncated_body`, of fewer only as many are read.
        case other(ByteCount)
    }

    /// The status code, 200 to 999.
    public let status: Int
    /// The header fields, `Content-Length` included where one is announced.
    public let headers: HTTPHeaders
    /// The announced length.
    public let contentLength: ByteCount?
    /// What happens before the head.
    let beforeHead: [ScriptedStep]
    /// What happens after it; pieces are not empty and no longer than the real transport's.
    let body: [ScriptedStep]
    /// Whether anything takes time.
    let takesTime: Bool
    /// Whether it says how much of the request's body is taken.
    let receives: Bool

    private static let longestPiece = 16 << 10

    /// Creates an answer.
    ///
    /// - Parameters:
    ///   - status: The status code, 200 to 999.
    ///   - headers: The header fields.
    ///   - length: What the head announces, the actual length by default.
    ///   - beforeHead: What happens before the head, no bytes among it.
    ///   - body: What happens after it; longer pieces of bytes are given 16 KiB at a time, as the real transport does.
    public init(
        status: Int = 200,
        headers: KeyValuePairs<String, String> = [:],
        length: Length = .actual,
        beforeHead: [ScriptedStep] = [],
        body: [ScriptedStep] = []
    ) {
        var fields = HTTPHeaders(headers.map { HTTPHeaders.Field(unchecked: $0.key, $0.value) })
        let announced = length.announced(actual: body.byteCount)
        if let announced { fields.append(.init(unchecked: "Content-Length", "\(announced.bytes)")) }
        self.init(status, fields, announced, beforeHead, body)
    }

    private init(
        _ status: Int,
        _ headers: HTTPHeaders,
        _ contentLength: ByteCount?,
        _ beforeHead: [ScriptedStep],
        _ body: [ScriptedStep]
    ) {
        precondition(beforeHead.byteCount == 0, "the bytes of a body come after the head")
        self.status = status
        self.headers = headers
        self.contentLength = contentLength
        self.beforeHead = beforeHead
        self.body = body.flatMap { $0.inPieces(of: Self.longestPiece) }
        receives = (beforeHead + body).contains(where: \.receives)
        takesTime = (beforeHead + body).contains(where: \.takesTime)
    }

    /// The same answer with another way up to its head.
    func replacing(beforeHead: [ScriptedStep]) -> ScriptedAnswer {
        ScriptedAnswer(status, headers, contentLength, beforeHead, body)
    }

    /// The same head with another body behind it.
    func replacing(body: [ScriptedStep]) -> ScriptedAnswer {
        ScriptedAnswer(status, headers, contentLength, beforeHead, body)
    }
}

extension ScriptedAnswer.Length {
    func announced(actual: Int) -> ByteCount? {
        switch self {
        case .actual: ByteCount(actual)
        case .unknown: nil
        case .other(let length): length
        }
    }
}

extension ScriptedAnswer: CustomStringConvertible {
    /// The steps on one line.
    public var description: String {
        let length = contentLength.map { "\($0) announced" } ?? "no length"
        return (beforeHead.map(\.description) + ["status \(status)", length] + body.map(\.description))
            .joined(separator: ", ")
    }
}
