import CalotypeOrigin
import Foundation
import TaskFlow

extension RawClient {
    /// Sends a request with a body, and reads the answer to the end of the connection.
    ///
    /// - Parameters:
    ///   - method: such as `PUT`.
    ///   - path: path and query.
    ///   - body: in UTF-8.
    ///   - length: what Content-Length says, where that is not the body's.
    ///   - limit: the most bytes of the answer.
    ///   - fields: more lines of the head.
    /// - Returns: what came.
    func send(
        _ method: String,
        _ path: String,
        _ body: String = "",
        length: Int? = nil,
        limit: Int = .max,
        fields: [String] = []
    ) async -> Exchange {
        let lines = [
            "\(method) \(path) HTTP/1.1", "Host: test", "Connection: close",
            "Content-Length: \(length ?? body.utf8.count)",
        ]
        return await send((lines + fields).joined(separator: "\r\n") + "\r\n\r\n" + body, limit: limit)
    }
}

extension Exchange {
    /// The body as text.
    var text: String { String(decoding: body, as: UTF8.self) }

    /// The body as JSON; `null` where it is none.
    func json() -> JSONValue {
        (try? JSONDecoder().decode(JSONValue.self, from: Data(body))) ?? .null
    }
}
