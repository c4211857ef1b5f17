extension Refusal {
    /// A refusal of something sent, as JSON with the member `error`.
    static func receiving(
        _ status: Int,
        _ message: String,
        fields: [(name: String, value: String)] = []
    ) -> Refusal {
        var response = Response.json(JSONText.object([("error", .text(message))]), status: status)
        response.fields += fields
        return Refusal(response)
    }
}

extension Response {
    /// A JSON document that nobody is to keep.
    static func json(_ value: JSONText, status: Int = 200) -> Response {
        Response(
            status: status,
            fields: [("Content-Type", "application/json; charset=utf-8"), ("Cache-Control", "no-store")],
            body: Array((value.text + "\n").utf8)
        )
    }

    /// An answer without a body.
    static func bare(_ status: Int, _ fields: [(name: String, value: String)] = []) -> Response {
        Response(status: status, fields: fields)
    }
}
