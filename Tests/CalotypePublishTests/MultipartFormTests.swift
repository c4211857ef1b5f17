import CalotypeCore
import CalotypeHTTP
import CalotypeTestKit
import Testing

@testable import CalotypePublish

@Suite(.timeLimit(.minutes(1)))
struct MultipartFormTests {
    /// What a server gets of a form.
    private func sent(_ form: MultipartForm) async throws -> [UInt8] {
        let transport = ScriptedTransport(otherwise: .status(200), keptBodyBytes: .mebibytes(1))
        let request = try HTTPRequest(WebURL("http://a.test/"), form: form)
        _ = try await transport.withResponse(to: request) { $0.status }
        return transport.receivedBodies[0]
    }

    @Test func `texts and files come in order, between boundaries`() async throws {
        try await withScratchFolder { folder in
            var form = MultipartForm(key: "0f-1")
            form.append("description", "Two lines\nof text: ü")
            let file = try SourceFile.writing([0, 13, 10, 255], to: "\(folder)/a")
            let start = try form.append("file", file, name: "a.jpg", type: MediaType("image/jpeg"))
            let expected =
                Array(
                    """
                    --calotype-0f-1\r
                    Content-Disposition: form-data; name="description"\r
                    \r
                    Two lines
                    of text: ü\r
                    --calotype-0f-1\r
                    Content-Disposition: form-data; name="file"; filename="a.jpg"\r
                    Content-Type: image/jpeg\r
                    \r

                    """.utf8
                ) + [0, 13, 10, 255] + Array("\r\n--calotype-0f-1--\r\n".utf8)
            let body = try await sent(form)
            #expect(body == expected)
            #expect(Array(body[start.bytes...].prefix(4)) == [0, 13, 10, 255])
            #expect(form.contentType == "multipart/form-data; boundary=calotype-0f-1")
            let request = try HTTPRequest(WebURL("http://a.test/"), form: form)
            #expect(request.headers["Content-Type"] == form.contentType)
            #expect(request.method == .post)
        }
    }

    @Test func `an empty file is a part without bytes`() async throws {
        try await withScratchFolder { folder in
            var form = MultipartForm(key: "1")
            try form.append(
                "file",
                SourceFile.writing([], to: "\(folder)/a"),
                name: "a",
                type: MediaType("text/plain")
            )
            let body = String(decoding: try await sent(form), as: UTF8.self)
            #expect(body.hasSuffix("Content-Type: text/plain\r\n\r\n\r\n--calotype-1--\r\n"))
        }
    }

    @Test(arguments: [
        ("a\"b.jpg", "a%22b.jpg"),
        ("a\r\nX-Evil: 1\r\n\r\n.jpg", "a%0D%0AX-Evil: 1%0D%0A%0D%0A.jpg"),
        ("Grüße 🐈‍⬛.jpg", "Grüße 🐈‍⬛.jpg"),
        ("100%22.jpg", "100%22.jpg"),
        ("../a\\b;c.jpg", "../a\\b;c.jpg"),
        (String(repeating: "é", count: 150), String(repeating: "é", count: 150)),
    ])
    func `a name cannot end its quotes or its line`(name: String, escaped: String) async throws {
        try await withScratchFolder { folder in
            var form = MultipartForm(key: "1")
            let file = try SourceFile.writing([65], to: "\(folder)/a")
            try form.append(name, file, name: name, type: MediaType("image/png"))
            let body = String(decoding: try await sent(form), as: UTF8.self)
            #expect(
                body == "--calotype-1\r\nContent-Disposition: form-data; name=\"\(escaped)\"; "
                    + "filename=\"\(escaped)\"\r\nContent-Type: image/png\r\n\r\nA\r\n--calotype-1--\r\n"
            )
        }
    }

    @Test(arguments: ["image/png\r\nX-Evil: 1", "", "bild/größe"])
    func `a type that is none cannot end its line`(type: String) async throws {
        try await withScratchFolder { folder in
            var form = MultipartForm(key: "1")
            let file = try SourceFile.writing([65], to: "\(folder)/a")
            try form.append("file", file, name: "a", type: MediaType(type))
            let body = String(decoding: try await sent(form), as: UTF8.self)
            #expect(body.contains("Content-Type: application/octet-stream\r\n\r\nA"))
        }
    }

    @Test func `a boundary is short and plain whatever the key`() {
        let form = MultipartForm(key: "a b;\"\r\nü" + String(repeating: "x", count: 100))
        let boundary = form.contentType.dropFirst("multipart/form-data; boundary=".count)
        #expect(boundary == "calotype-ab" + String(repeating: "x", count: 59))
    }
}
