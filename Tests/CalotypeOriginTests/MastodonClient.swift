import CalotypeOrigin
import Testing

/// A client of the Mastodon simulator that writes its requests by hand.
struct MastodonClient: Sendable {
    let raw: RawClient
    /// What comes before the paths, such as a fault.
    var root = ""
    var token = "demo"

    /// The beginning of a PNG of this size, which is all that is looked at.
    static func png(_ width: Int = 4, _ height: Int = 3, length: Int = 64) -> [UInt8] {
        let signature: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]
        let sizes = [width, height].flatMap { size in
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: size >> $0) }
        }
        let header: [UInt8] = Array("IHDR".utf8) + sizes + [8, 2, 0, 0, 0, 0, 0, 0, 0]
        let data = [0, 0, 0, 64] + Array("IDAT".utf8)
        return signature + header + data + [UInt8](repeating: 7, count: length)
    }

    static let film = [UInt8]([0, 0, 0, 24]) + Array("ftypisom".utf8) + [UInt8](repeating: 1, count: 100)

    func send(_ method: String, _ path: String, _ body: [UInt8] = [], _ fields: String...) async -> Exchange {
        let lines =
            [
                "\(method) \(root)\(path) HTTP/1.1", "Host: test", "Connection: close",
                "Authorization: Bearer \(token)", "Content-Length: \(body.count)",
            ] + fields
        return await raw.send(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body)
    }

    /// Sends a file and fields as a form.
    func upload(
        _ file: [UInt8]?,
        _ values: [String: String] = [:],
        name: String = "a.png",
        to path: String = "/api/v2/media"
    ) async -> Exchange {
        var body: [UInt8] = []
        for (key, value) in values {
            let head = "--b\r\nContent-Disposition: form-data; name=\"\(key)\"\r\n\r\n"
            body += Array("\(head)\(value)\r\n".utf8)
        }
        if let file {
            let disposition = "Content-Disposition: form-data; name=\"file\"; filename=\"\(name)\""
            body += Array("--b\r\n\(disposition)\r\nContent-Type: x/y\r\n\r\n".utf8) + file + [13, 10]
        }
        body += Array("--b--\r\n".utf8)
        return await send("POST", path, body, "Content-Type: multipart/form-data; boundary=b")
    }

    /// Sends a file, and returns its number.
    func uploaded(_ file: [UInt8] = png()) async throws -> String {
        let answer = await upload(file)
        return try #require(answer.json()["id"]?.text)
    }

    func post(_ form: String, key: String? = nil) async -> Exchange {
        let type = "Content-Type: application/x-www-form-urlencoded"
        guard let key else { return await send("POST", "/api/v1/statuses", Array(form.utf8), type) }
        return await send("POST", "/api/v1/statuses", Array(form.utf8), type, "Idempotency-Key: \(key)")
    }
}

extension Exchange {
    /// What a refusal says.
    var error: String? { json()["error"]?.text }
}

/// Runs a test with an origin and a client of its Mastodon simulator.
func withMastodon(_ root: String = "", _ body: (Origin, MastodonClient) async throws -> Void) async throws {
    try await withTestOrigin { origin, raw in
        try await body(origin, MastodonClient(raw: raw, root: root))
    }
}
