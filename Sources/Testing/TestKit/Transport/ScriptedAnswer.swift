public import CalotypeCore
import CalotypeHTTP

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
        var fields = HTTPHeaders(headers.map { HeaderField($0.key, $0.value) })
        let announced = length.announced(actual: body.byteCount)
        if let announced { fields.append(.init("Content-Length", "\(announced.bytes)")) }
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

extension ScriptedAnswer {
    /// Status 200 with `bytes` as its body, at once.
    public static func bytes(_ bytes: [UInt8]) -> ScriptedAnswer {
        ScriptedAnswer(body: [.bytes(bytes)])
    }

    /// A status with an empty body, at once.
    public static func status(
        _ status: Int,
        headers: KeyValuePairs<String, String> = [:]
    ) -> ScriptedAnswer {
        ScriptedAnswer(status: status, headers: headers)
    }

    /// A redirect to `target`, which may be relative.
    public static func redirect(to target: String, status: Int = 302) -> ScriptedAnswer {
        ScriptedAnswer(status: status, headers: ["Location": target])
    }

    /// No answer, ever; the request's timeouts end it.
    public static let never = ScriptedAnswer(beforeHead: [.forever])

    /// No answer, but an error.
    public static func failure(_ error: CalotypeError) -> ScriptedAnswer {
        ScriptedAnswer(beforeHead: [.failure(error)])
    }

    /// The answer, but its head comes only after `step`; of several the last one given is the first to happen.
    public func after(_ step: ScriptedStep) -> ScriptedAnswer {
        replacing(beforeHead: [step] + beforeHead)
    }

    /// The answer with its body in pieces of at most `size` and a pause before each.
    public func inPieces(of size: ByteCount, every pause: Duration) -> ScriptedAnswer {
        replacing(
            body: body.flatMap { $0.inPieces(of: size.bytes) }.flatMap { step in
                if case .bytes = step { [.pause(pause), step] } else { [step] }
            }
        )
    }

    /// The answer up to `count` of its body, and then `steps`; the head announces what it did.
    ///
    /// Without steps the body is cut: the reader gets `truncated_body` where a length was announced.
    public func cut(after count: ByteCount, then steps: ScriptedStep...) -> ScriptedAnswer {
        replacing(body: body.prefix(bytes: count.bytes) + steps)
    }
}
