import Testing

@testable import CalotypeOrigin

struct MultipartReaderTests {
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
}
