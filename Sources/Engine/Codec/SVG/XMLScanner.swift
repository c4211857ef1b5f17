/// Reads the tags and the text of an XML document (XML 1.0, fifth edition) in UTF-8, one after the other.
///
/// It is stricter than a browser and knows no namespaces. Comments, instructions and the document type are
/// skipped; of the document type's entities, only short plain texts count, so that nothing can grow.
struct XMLScanner {
    struct Attribute {
        let name: String
        let value: String
    }

    enum Token {
        case start(String, [Attribute], isEmpty: Bool)
        case end(String)
        case text(String)
    }

    private let bytes: [UInt8]
    private var offset = 0
    private var entities = ["lt": "<", "gt": ">", "amp": "&", "quot": "\"", "apos": "'"]
    /// The bytes that entities may still produce.
    private var expansion = 1 << 20

    private static let mostAttributes = 500
    private static let mostEntities = 100
    private static let longestEntity = 1_024

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
    }

    /// Returns the next token; `nil` at the end.
    ///
    /// - Throws: `outOfBytes` if the document ends within a tag; `corrupt`.
    mutating func next() throws(CodecError) -> Token? {
        while offset < bytes.count {
            guard bytes[offset] == UInt8(ascii: "<") else { return .text(try text()) }
            if has("<!--") {
                offset = try end(of: "-->", from: offset + 4)
            } else if has("<![CDATA[") {
                let start = offset + 9
                offset = try end(of: "]]>", from: start)
                return .text(String(decoding: bytes[start..<offset - 3], as: UTF8.self))
            } else if has("<?") {
                offset = try end(of: "?>", from: offset + 2)
            } else if has("<!") {
                try skipType()
            } else if has("</") {
                offset += 2
                let name = try name()
                skipSpaces()
                try take(">")
                return .end(name)
            } else {
                return try start()
            }
        }
        return nil
    }

    private mutating func start() throws(CodecError) -> Token {
        offset += 1
        let name = try name()
        var attributes: [Attribute] = []
        while true {
            skipSpaces()
            if has(">") {
                offset += 1
                return .start(name, attributes, isEmpty: false)
            }
            if has("/") {
                offset += 1
                try take(">")
                return .start(name, attributes, isEmpty: true)
            }
            guard attributes.count < Self.mostAttributes else {
                throw .corrupt("the XML has a tag with more than \(Self.mostAttributes) attributes")
            }
            let key = try self.name()
            skipSpaces()
            try take("=")
            skipSpaces()
            attributes.append(Attribute(name: key, value: decoded(try quoted())))
        }
    }

    private mutating func text() throws(CodecError) -> String {
        let start = offset
        while offset < bytes.count, bytes[offset] != UInt8(ascii: "<") { offset += 1 }
        return decoded(bytes[start..<offset])
    }

    /// Skips the document type, and remembers its entities.
    private mutating func skipType() throws(CodecError) {
        var isInside = false
        while true {
            guard offset < bytes.count else { throw .outOfBytes }
            if has("<!--") {
                offset = try end(of: "-->", from: offset + 4)
            } else if has("<!ENTITY") {
                offset += 8
                try readEntity()
            } else if bytes[offset] == UInt8(ascii: "\"") || bytes[offset] == UInt8(ascii: "'") {
                _ = try quoted()
            } else {
                if has("[") { isInside = true }
                if has("]") { isInside = false }
                let isEnd = has(">") && !isInside
                offset += 1
                if isEnd { return }
            }
        }
    }

    private mutating func readEntity() throws(CodecError) {
        skipSpaces()
        // Entities of the document type itself, and those in other files, stay unknown.
        guard !has("%"), let name = try? name() else { return }
        skipSpaces()
        guard has("\"") || has("'") else { return }
        let value = try quoted()
        guard value.count <= Self.longestEntity, entities.count < Self.mostEntities,
            !value.contains(UInt8(ascii: "&")), !value.contains(UInt8(ascii: "<")), entities[name] == nil
        else { return }
        entities[name] = String(decoding: value, as: UTF8.self)
    }

    private mutating func name() throws(CodecError) -> String {
        let start = offset
        while offset < bytes.count, Self.isName(bytes[offset]) { offset += 1 }
        guard offset < bytes.count else { throw .outOfBytes }
        guard offset > start else { throw .corrupt("the XML has a tag without a name") }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    private mutating func quoted() throws(CodecError) -> ArraySlice<UInt8> {
        guard offset < bytes.count else { throw .outOfBytes }
        let mark = bytes[offset]
        guard mark == UInt8(ascii: "\"") || mark == UInt8(ascii: "'") else {
            throw .corrupt("the XML has a value without quotation marks")
        }
        let start = offset + 1
        offset = start
        while offset < bytes.count, bytes[offset] != mark { offset += 1 }
        guard offset < bytes.count else { throw .outOfBytes }
        offset += 1
        return bytes[start..<offset - 1]
    }

    /// Returns `text` with references replaced; unknown ones become nothing.
    private mutating func decoded(_ text: ArraySlice<UInt8>) -> String {
        guard text.contains(UInt8(ascii: "&")) else { return String(decoding: text, as: UTF8.self) }
        var result = ""
        var rest = text
        while let mark = rest.firstIndex(of: UInt8(ascii: "&")) {
            result += String(decoding: rest[..<mark], as: UTF8.self)
            let reference = rest[(mark + 1)...].prefix(64).prefix { $0 != UInt8(ascii: ";") }
            rest = rest[min(reference.endIndex + 1, rest.endIndex)...]
            let value = replacement(String(decoding: reference, as: UTF8.self))
            expansion -= value.utf8.count
            if expansion >= 0 { result += value }
        }
        return result + String(decoding: rest, as: UTF8.self)
    }

    private func replacement(_ reference: String) -> String {
        guard reference.hasPrefix("#") else { return entities[reference] ?? "" }
        let digits = reference.dropFirst()
        let value = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        guard let value, value >= 0x20 || value == 9 || value == 10 || value == 13,
            let scalar = Unicode.Scalar(value)
        else { return "" }
        return String(Character(scalar))
    }

    private mutating func skipSpaces() {
        while offset < bytes.count, bytes[offset] == 0x20 || (9...13).contains(bytes[offset]) { offset += 1 }
    }

    private mutating func take(_ mark: StaticString) throws(CodecError) {
        guard offset < bytes.count else { throw .outOfBytes }
        guard has(mark) else { throw .corrupt("the XML lacks a \("\(mark)".debugDescription)") }
        offset += 1
    }

    private func has(_ text: StaticString) -> Bool {
        let length = text.utf8CodeUnitCount
        guard offset + length <= bytes.count else { return false }
        return unsafe bytes[offset..<offset + length].elementsEqual(
            UnsafeBufferPointer(start: text.utf8Start, count: length)
        )
    }

    /// The offset after the next `mark`.
    private func end(of mark: String, from start: Int) throws(CodecError) -> Int {
        let mark = Array(mark.utf8)
        var place = start
        while place + mark.count <= bytes.count {
            if bytes[place] == mark[0], bytes[place..<place + mark.count].elementsEqual(mark) {
                return place + mark.count
            }
            place += 1
        }
        throw .outOfBytes
    }

    private static func isName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
            UInt8(ascii: ":"), 0x80...0xFF:
            true
        default: false
        }
    }
}
