public import CalotypeCore
import CalotypeHTTP

/// A scripted origin's response to one request, step by step.
public struct ScriptedResponse: Sendable {
    /// The body length in the head.
    public enum Length: Hashable, Sendable {
        /// The number of bytes in the script.
        case actual
        /// No length, as in a chunked body.
        case unknown
        /// Another length.
        ///
        /// If it is too large, the body ends in `truncated_body`; if it is too small, the rest is not read.
        case other(ByteCount)
    }

    /// The status code, 200 to 999.
    public let status: Int
    /// The header fields, including `Content-Length` if one is announced.
    public let headers: HTTPHeaders
    /// The announced length.
    public let contentLength: ByteCount?
    /// What happens before the head.
    let beforeHead: [ScriptedStep]
    /// What happens after the head; pieces are not empty and no longer than the real transport's.
    let body: [ScriptedStep]
    /// Whether any step takes time.
    let takesTime: Bool
    /// Whether any step says how much of the request's body is taken.
    let receives: Bool

    private static let longestPiece = 16 << 10

    /// Creates a response.
    ///
    /// - Parameters:
    ///   - status: The status code, 200 to 999.
    ///   - headers: The header fields.
    ///   - length: The length in the head, the actual length by default.
    ///   - beforeHead: What happens before the head, without bytes of the body.
    ///   - body: What happens after the head; longer pieces are delivered in blocks of 16 KiB, as by the real
    ///     transport.
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

    /// Returns this response with other steps before its head.
    func replacing(beforeHead: [ScriptedStep]) -> ScriptedResponse {
        ScriptedResponse(status, headers, contentLength, beforeHead, body)
    }

    /// Returns this response with another body.
    func replacing(body: [ScriptedStep]) -> ScriptedResponse {
        ScriptedResponse(status, headers, contentLength, beforeHead, body)
    }
}

extension ScriptedResponse.Length {
    func announced(actual: Int) -> ByteCount? {
        switch self {
        case .actual: ByteCount(actual)
        case .unknown: nil
        case .other(let length): length
        }
    }
}

extension ScriptedResponse: CustomStringConvertible {
    /// The steps on one line.
    public var description: String {
        let length = contentLength.map { "\($0) announced" } ?? "no length"
        return (beforeHead.map(\.description) + ["status \(status)", length] + body.map(\.description))
            .joined(separator: ", ")
    }
}

extension ScriptedResponse {
    /// Status 200 with `bytes` as its body, immediately.
    public static func bytes(_ bytes: [UInt8]) -> ScriptedResponse {
        ScriptedResponse(body: [.bytes(bytes)])
    }

    /// A status with an empty body, immediately.
    public static func status(
        _ status: Int,
        headers: KeyValuePairs<String, String> = [:]
    ) -> ScriptedResponse {
        ScriptedResponse(status: status, headers: headers)
    }

    /// A redirect to `target`, which may be relative.
    public static func redirect(to target: String, status: Int = 302) -> ScriptedResponse {
        ScriptedResponse(status: status, headers: ["Location": target])
    }

    /// No response, ever; the request's timeouts end it.
    public static let never = ScriptedResponse(beforeHead: [.forever])

    /// An error instead of a response.
    public static func failure(_ error: CalotypeError) -> ScriptedResponse {
        ScriptedResponse(beforeHead: [.failure(error)])
    }

    /// Returns this response with `step` before its head.
    ///
    /// If called several times, the step added last happens first.
    public func after(_ step: ScriptedStep) -> ScriptedResponse {
        replacing(beforeHead: [step] + beforeHead)
    }

    /// Returns this response with its body in pieces of at most `size` and a pause before each.
    public func inPieces(of size: ByteCount, every pause: Duration) -> ScriptedResponse {
        replacing(
            body: body.flatMap { $0.inPieces(of: size.bytes) }.flatMap { step in
                if case .bytes = step { [.pause(pause), step] } else { [step] }
            }
        )
    }

    /// Returns this response up to `count` bytes of its body, followed by `steps`.
    ///
    /// The announced length stays the same. Without steps the body is cut: the reader gets `truncated_body`
    /// if a length was announced.
    public func cut(after count: ByteCount, then steps: ScriptedStep...) -> ScriptedResponse {
        replacing(body: body.prefix(bytes: count.bytes) + steps)
    }
}
