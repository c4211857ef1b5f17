import CalotypeHTTPMessages

/// An HTTP response, correct or deliberately wrong.
struct Response: Sendable {
    /// How the client recognises the end of the body.
    enum Framing: Sendable {
        case length
        /// The Content-Length is wrong. The connection closes after the body.
        case claimed(Int)
        /// The body has this length and is not in memory.
        case told(Int)
        case chunked
        case untilClose
    }

    var status = 200
    var fields: [(name: String, value: String)] = []
    var body: [UInt8] = []
    var framing = Framing.length

    /// Creates a plain text.
    static func text(_ text: String, status: Int = 200) -> Response {
        Response(
            status: status,
            fields: [("Content-Type", "text/plain; charset=utf-8")],
            body: Array((text + "\n").utf8)
        )
    }

    static func html(_ html: String) -> Response {
        Response(fields: [("Content-Type", "text/html; charset=utf-8")], body: Array(html.utf8))
    }

    static func redirect(to location: String) -> Response {
        var response = text("It is at \(location)", status: 302)
        response.fields.append(("Location", location))
        return response
    }

    /// Returns the script that sends it as a whole.
    func script() -> ResponseScript {
        ResponseScript(status: status, steps: [.send(head()), .send(payload)], ending: ending)
    }

    /// Returns the status line, the fields and the blank line.
    func head() -> [UInt8] {
        Array((openHead() + "\r\n").utf8)
    }

    /// Returns the head without the blank line that ends it.
    func openHead() -> String {
        var lines = [
            "HTTP/1.1 \(status) \(HTTPStatus.reason(status) ?? "Status \(status)")",
            "Server: calotype-origin",
            "Date: \(WallTime.now().httpText)",
        ]
        lines += fields.map { "\($0.name): \($0.value)" }
        switch framing {
        case .length where status == 304 || status == 204: break
        case .length: lines.append("Content-Length: \(body.count)")
        case .claimed(let length), .told(let length): lines.append("Content-Length: \(length)")
        case .chunked: lines.append("Transfer-Encoding: chunked")
        case .untilClose: break
        }
        if ending == .close { lines.append("Connection: close") }
        return lines.joined(separator: "\r\n") + "\r\n"
    }

    var ending: ResponseScript.Ending {
        switch framing {
        case .length, .chunked, .told: .keep
        case .claimed, .untilClose: .close
        }
    }

    /// The body as transferred.
    var payload: [UInt8] {
        guard case .chunked = framing else { return body }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(body.count + body.count / 500 + 16)
        for start in stride(from: 0, to: body.count, by: 8192) {
            let chunk = body[start..<min(start + 8192, body.count)]
            bytes += Array("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + [13, 10]
        }
        return bytes + Array("0\r\n\r\n".utf8)
    }
}
