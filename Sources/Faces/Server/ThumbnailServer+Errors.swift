import CalotypeCore
import CalotypeHTTP
import CalotypeHTTPListener

extension ThumbnailServer {
    /// The answer that tells of `refusal`: text, or JSON for those who want that.
    ///
    /// Nothing of the path or the source is in it unless the server is one for development, and then as plain text that no
    /// browser takes for anything else.
    func answer(_ refusal: RequestRefusal, _ record: AnswerRecord, _ visit: Visit) -> OutgoingResponse {
        var record = record
        record.refusal = refusal
        var response = OutgoingResponse(refusal.status)
        let type = visit.wantsJSON ? "application/json" : "text/plain; charset=utf-8"
        response.headers.append(HTTPHeaders.Field(unchecked: "Content-Type", type))
        response.headers.append(
            HTTPHeaders.Field(unchecked: "Content-Security-Policy", "default-src 'none'; sandbox")
        )
        if refusal.status == 429 || refusal.status == 503 {
            response.headers.append(HTTPHeaders.Field(unchecked: "Retry-After", "1"))
        }
        let text = visit.wantsJSON ? json(refusal, visit) : text(refusal, visit)
        response.body = .bytes(Array(text.utf8))
        return finished(response, record, visit)
    }

    private func text(_ refusal: RequestRefusal, _ visit: Visit) -> String {
        let detail = configuration.answers.areErrorsDetailed ? "detail: \(refusal.detail)\n" : ""
        return "\(refusal.publicMessage)\ncode: \(refusal.code)\nrequest: \(visit.id)\n\(detail)"
    }

    private func json(_ refusal: RequestRefusal, _ visit: Visit) -> String {
        var object = JSONObject()
        object.add("code", string: refusal.code.rawValue)
        object.add("message", string: refusal.publicMessage)
        object.add("request_id", string: visit.id)
        if configuration.answers.areErrorsDetailed { object.add("detail", string: refusal.detail) }
        return object.text + "\n"
    }
}
