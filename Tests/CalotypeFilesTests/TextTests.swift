import CalotypeFiles
import Testing

struct TextTests {
    @Test func `JSON escapes what it must`() {
        var object = JSONObject()
        object.add("a", string: "\"\\\n\u{1}é\u{2028}")
        object.add("b", nil as Int?)
        #expect(object.text == "{\"a\":\"\\\"\\\\\\n\\u0001é\\u2028\",\"b\":null}")
    }

    @Test func `base64 pads as the RFC says`() {
        #expect(
            ["", "f", "fo", "foo", "foob"].map { Base64.text(Array($0.utf8)) } == [
                "", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==",
            ]
        )
    }

    @Test(arguments: [
        ("Zm9vYg==", "foob"), ("Zm9vYg", "foob"), ("Zm9v\r\nYg ==", "foob"), ("", ""), ("Zm9vYg=", nil),
        ("Zm9vY", nil), ("Zm9v*g==", nil), ("Zg==Zg==", nil), ("====", nil),
    ])
    func `base64 is read without padding and over line breaks`(text: String, decoded: String?) {
        #expect(Base64.decoded(Array(text.utf8)) == decoded.map { Array($0.utf8) })
    }

    @Test(arguments: [
        ("widht", "width"), ("heigth", "height"), ("hei", "height"), ("x", nil), ("", nil), ("colour", nil),
    ])
    func `a mistyped word has a nearest name`(text: String, name: String?) {
        #expect(NearestName.find(text, in: ["width", "height", "format"]) == name)
    }
}

struct RecordTests {
    private static func record() -> [UInt8] {
        var writer = RecordWriter(version: 3)
        writer.add(300)
        writer.add(Int.max)
        writer.add(true)
        writer.add("häuser")
        writer.add([1, 2, 3] as [UInt8])
        writer.add(optional: nil as Int?) { $0.add($1) }
        return writer.bytes
    }

    private static func read(_ bytes: [UInt8]) throws(SystemError) -> String {
        var reader = try RecordReader(bytes, version: 3)
        let numbers = [try reader.number(in: 0...300), try reader.number()]
        let (flag, text, content) = (try reader.flag(), try reader.text(), try reader.content())
        let none = try reader.optional { reader throws(SystemError) in try reader.number() }
        try reader.finish()
        return "\(numbers) \(flag) \(text) \(content) \(none ?? -1)"
    }

    @Test func `a record is read as it was written`() throws {
        #expect(try Self.read(Self.record()) == "[300, \(Int.max)] true häuser [1, 2, 3] -1")
    }

    @Test func `a record of another version or length is damaged`() {
        let record = Self.record()
        #expect(throws: SystemError.notARecord) { try RecordReader(record, version: 4) }
        #expect(throws: SystemError.notARecord) { try Self.read(record + [0]) }
        for length in record.indices {
            #expect(throws: SystemError.notARecord) { try Self.read(Array(record[..<length])) }
        }
    }
}
