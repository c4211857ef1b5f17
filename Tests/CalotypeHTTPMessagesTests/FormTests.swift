import CalotypeHTTPMessages
import Testing

struct FormTests {
    private static let body =
        "preamble\r\n--b1\r\ncontent-disposition: form-data; name=\"text\"\r\n\r\n\r\n--b\r\n--b1\r\n"
        + "Content-Disposition: form-data; filename=\"x\"; name=file\r\nContent-Type: a/b\r\n\r\n12\r34\r\n\r\n--b1--\r\nend"

    @Test(arguments: 1...80)
    func `a body means the same however it is cut`(size: Int) throws {
        var reader = MultipartReader(boundary: "b1")
        var found: [String] = []
        let bytes = Array(Self.body.utf8)
        for start in stride(from: 0, to: bytes.count, by: size) {
            #expect(!reader.isAtEnd || start > bytes.count - 8 - size)
            for event in try reader.read(Array(bytes[start..<min(start + size, bytes.count)])) {
                switch event {
                case .part(let head): found.append("\(head.name) \(head.fileName ?? "-"): ")
                case .data(let data): found[found.count - 1] += String(decoding: data, as: UTF8.self)
                case .partEnd: found[found.count - 1] += "|"
                }
            }
        }
        #expect(reader.isAtEnd)
        #expect(found == ["text -: \r\n--b|", "file x: 12\r34\r\n|"])
    }

    @Test func `what is written is read again`() throws {
        let writer = MultipartWriter(key: "{5B3-é}")
        #expect(writer.contentType == "multipart/form-data; boundary=calotype-5B3-")
        let boundary = try #require(PartHead.parameter("boundary", in: writer.contentType))
        let name = "a \"b\"\r\n%;é"
        let body =
            writer.part("text", "x\r\ny") + writer.fileHead(name, fileName: name, mediaType: "a/b\r\nX: y")
            + "bytes\r\n" + writer.end
        var reader = MultipartReader(boundary: boundary)
        var heads: [PartHead] = []
        var contents: [UInt8] = []
        for event in try reader.read(Array(body.utf8)) {
            if case .part(let head) = event { heads.append(head) }
            if case .data(let bytes) = event { contents += bytes }
        }
        #expect(reader.isAtEnd)
        #expect(heads.map(\.name) == ["text", name])
        #expect(heads.map(\.fileName) == [nil, name])
        #expect(heads.map(\.mediaType) == [nil, "application/octet-stream"])
        #expect(String(decoding: contents, as: UTF8.self) == "x\r\nybytes")
    }

    @Test(arguments: ["--b\r\nX: y\r\n\r\n", "--bxy", "--b\r\nContent-Disposition: a; name=b\r\n\r\n"])
    func `a body of another type is refused`(text: String) {
        var reader = MultipartReader(boundary: "b")
        let error = #expect(throws: HTTPMessageError.self) { try reader.read(Array(text.utf8)) }
        #expect(error?.code == .malformedForm)
    }

    @Test func `pairs are decoded, and those that cannot be are gaps`() {
        let pairs = FormPairs.decoded("a=1&&b+c=%C3%A9+%2B&d&=e&f=1=2&g=%C3&%=h".utf8)
        #expect(
            pairs.map { pair in pair.map { "\($0.name):\($0.value)" } }
                == ["a:1", "b c:é +", "d:", ":e", "f:1=2", nil, nil]
        )
    }

    @Test(arguments: [
        ("plain", "plain"), ("two words", "two%20words"), ("a&b=c", "a%26b%3Dc"), ("1+1", "1%2B1"),
        ("\"quoted\" 'too'", "%22quoted%22%20%27too%27"), ("🦊", "%F0%9F%A6%8A"), ("naïve", "na%C3%AFve"),
        ("50%", "50%25"), ("a/b?c#d", "a%2Fb%3Fc%23d"), ("~-._", "~-._"), ("\n\t", "%0A%09"),
    ])
    func `all but letters, digits and four signs is escaped`(_ text: String, _ encoded: String) {
        #expect(PercentEscapes.encoded(text) == encoded)
        #expect(PercentEscapes.decodedText(encoded) == text)
    }

    @Test func `escapes are read and written`() {
        #expect(PercentEscapes.decodedText("a%20%C3%A9") == "a é")
        #expect(PercentEscapes.decodedText("%C3") == nil)
        #expect(PercentEscapes.decodedText("%2") == nil)
        #expect(PercentEscapes.encodedPath("a b/ä~?") == "a%20b/%C3%A4~%3F")
    }
}
