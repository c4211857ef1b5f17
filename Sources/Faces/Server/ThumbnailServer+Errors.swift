import Calotype
import CalotypeCore
import CalotypeFiles
import CalotypeHTTP
import CalotypeHTTPListener

extension ThumbnailServer {
    /// Creates the response for `refusal`: text, or JSON for clients that want it.
    ///
    /// It contains nothing of the path or the source unless the server is for development. Then it is plain
    /// text, which no browser can interpret as anything else.
    func answer(_ refusal: ServerError, _ record: AnswerRecord, _ visit: Visit) -> OutgoingResponse {
        var record = record
        record.refusal = refusal
        var response = OutgoingResponse(refusal.status)
        let type = visit.wantsJSON ? "application/json" : "text/plain; charset=utf-8"
        response.headers.append(HeaderField("Content-Type", type))
        response.headers.append(
            HeaderField("Content-Security-Policy", "default-src 'none'; sandbox")
        )
        if refusal.status == 429 || refusal.status == 503 {
            response.headers.append(HeaderField("Retry-After", "1"))
        }
        let text = visit.wantsJSON ? json(refusal, visit) : text(refusal, visit)
        response.body = .bytes(Array(text.utf8))
        return finished(response, record, visit)
    }

    private func text(_ refusal: ServerError, _ visit: Visit) -> String {
        let detail = configuration.answers.areErrorsDetailed ? "detail: \(refusal.message)\n" : ""
        return "\(refusal.publicMessage)\ncode: \(refusal.code)\nrequest: \(visit.id)\n\(detail)"
    }

    private func json(_ refusal: ServerError, _ visit: Visit) -> String {
        var object = JSONObject()
        object.add("code", string: refusal.code.rawValue)
        object.add("message", string: refusal.publicMessage)
        object.add("request_id", string: visit.id)
        if configuration.answers.areErrorsDetailed { object.add("detail", string: refusal.message) }
        return object.text + "\n"
    }
}

extension ServerError {
    /// The client's error for a failed load.
    init(_ error: CalotypeError) {
        let (status, message) = Self.answer(to: error.code)
        self.init(status, message, error.code, error.message)
    }

    /// The status and the public message for `code`.
    private static func answer(to code: ErrorCode) -> (Int, String) {
        if let answer = answers[code] { return answer }
        guard let status = httpStatus(of: code) else { return (500, "Internal error") }
        switch status {
        case 400...499: return (status, "Source is unreachable")
        case 500...: return (502, "Source is unreachable")
        // A response that is neither an image nor an error, such as a 206.
        default: return (404, "Source is unreachable")
        }
    }

    /// The status in a code such as `http_404`.
    private static func httpStatus(of code: ErrorCode) -> Int? {
        code.rawValue.hasPrefix("http_") ? Int(code.rawValue.dropFirst("http_".count)) : nil
    }

    /// The client disconnected; only the log receives this error.
    static let clientGone = ServerError(
        499,
        "Cancelled",
        ErrorCode(rawValue: "client_gone"),
        "the client disconnected"
    )

    /// The known codes, for use in metrics.
    static let codes = Set(answers.keys.map(\.rawValue) + ["client_gone"])

    private static let answers: [ErrorCode: (Int, String)] = {
        let unreachable = "Source is unreachable"
        let invalidPicture = "Invalid source image"
        let broken = "Broken or unsupported image"
        return [
            .invalidURL: (404, "Invalid source URL"),
            .blockedAddress: (404, "Invalid source URL"),
            .blockedPort: (404, "Invalid source URL"),
            .unsupportedScheme: (404, unreachable),
            .dnsFailed: (404, unreachable),
            .connectFailed: (404, unreachable),
            .connectionReset: (404, unreachable),
            .tlsFailed: (404, unreachable),
            .proxyFailed: (404, unreachable),
            .protocolError: (404, unreachable),
            .tooManyRedirects: (404, unreachable),
            .invalidRedirect: (404, unreachable),
            .fileNotReadable: (404, unreachable),
            .sourceChanged: (404, unreachable),
            .providerFailed: (404, unreachable),
            .timeoutConnect: (504, unreachable),
            .timeoutHeaders: (504, unreachable),
            .timeoutIdle: (504, unreachable),
            .tooSlow: (504, unreachable),
            .timeoutTotal: (504, "Timeout"),
            .timeoutDecode: (504, "Timeout"),
            .tooManyHeaderBytes: (422, invalidPicture),
            .tooManyBytes: (422, invalidPicture),
            .tooManyPixels: (422, invalidPicture),
            .truncatedBody: (422, "Source response is incomplete"),
            .unsupportedFormat: (422, "Failed to detect source image type"),
            .corruptImage: (422, broken),
            .truncatedImage: (422, broken),
            ErrorCode(rawValue: "decoder_crashed"): (422, broken),
            .invalidRequest: (422, "Invalid URL"),
            .encodeFailed: (422, "Invalid URL"),
            .tooManyRequests: (429, "Too many requests"),
            .resourceShortage: (503, "The server is short of resources"),
            .pipelineClosed: (503, "Timeout"),
        ]
    }()
}
