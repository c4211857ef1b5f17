internal import CalotypeCore

/// Reads JSON that people write (RFC 8259), and reports the position of an error.
///
/// Foundation's decoder reports no position, and accepts duplicate names in an object.
struct JSONReader {
    /// The maximum nesting depth of arrays and objects.
    private static let mostLevels = 32

    private let source: JSONSource
    private let bytes: [UInt8]
    private var position = 0

    /// Reads a text that contains one value.
    ///
    /// - Throws: The error in the text, with `name` in front of the message.
    static func read<Output>(
        _ bytes: [UInt8],
        named name: String,
        limit: ByteCount,
        _ body: (LocatedJSON) throws(CalotypeError) -> Output
    ) throws(CalotypeError) -> Output {
        guard bytes.count <= limit.bytes else {
            throw CalotypeError(.invalidDocument, "\(name): it is longer than \(limit)", stage: .request)
        }
        var reader = JSONReader(JSONSource(name: name, bytes: bytes))
        return try body(try reader.document())
    }

    private init(_ source: JSONSource) {
        self.source = source
        bytes = source.bytes
    }

    private mutating func document() throws(CalotypeError) -> LocatedJSON {
        // Some editors write a byte order mark before UTF-8.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        skipBlanks()
        guard next != nil else { throw invalid("it is empty") }
        let value = try value(level: 0)
        skipBlanks()
        guard next == nil else { throw invalid("there is text after the end") }
        return value
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// Returns an error at the next byte.
    private func invalid(_ reason: String) -> CalotypeError {
        source.invalid(next == nil ? "it ends too early" : reason, at: position)
    }

    private mutating func skipBlanks() {
        while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
    }

    /// Skips `character` if it is next.
    private mutating func take(_ character: Character) -> Bool {
        guard let byte = next, byte == character.asciiValue else { return false }
        position += 1
        return true
    }

    private mutating func value(level: Int) throws(CalotypeError) -> LocatedJSON {
        let offset = position
        guard level < Self.mostLevels else { throw invalid("it is nested too deeply") }
        let value: LocatedJSON.Value
        switch next {
        case UInt8(ascii: "{"): value = .object(try fields(level))
        case UInt8(ascii: "["): value = .list(try elements(level))
        case UInt8(ascii: "\""): value = .text(try text())
        case .some(let byte) where Self.isWordByte(byte): value = try word()
        default: throw invalid("expected a value")
        }
        return LocatedJSON(value: value, offset: offset, source: source)
    }

    private mutating func elements(_ level: Int) throws(CalotypeError) -> [LocatedJSON] {
        var elements: [LocatedJSON] = []
        position += 1
        skipBlanks()
        if take("]") { return elements }
        repeat {
            skipBlanks()
            elements.append(try value(level: level + 1))
            skipBlanks()
        } while take(",")
        guard take("]") else { throw invalid("expected a comma or ]") }
        return elements
    }

    private mutating func fields(_ level: Int) throws(CalotypeError) -> [LocatedJSON.Field] {
        var fields: [LocatedJSON.Field] = []
        var names: Set<String> = []
        position += 1
        skipBlanks()
        if take("}") { return fields }
        repeat {
            skipBlanks()
            let offset = position
            guard next == UInt8(ascii: "\"") else { throw invalid("expected a name in double quotes") }
            let name = try text()
            guard names.insert(name).inserted else {
                throw source.invalid("\"\(name)\" is used twice", at: offset)
            }
            skipBlanks()
            guard take(":") else { throw invalid("expected a colon after the name") }
            skipBlanks()
            fields.append(.init(name: name, offset: offset, value: try value(level: level + 1)))
            skipBlanks()
        } while take(",")
        guard take("}") else { throw invalid("expected a comma or }") }
        return fields
    }

    /// Reads `true`, `false`, `null` or a number.
    private mutating func word() throws(CalotypeError) -> LocatedJSON.Value {
        let offset = position
        while let byte = next, Self.isWordByte(byte) { position += 1 }
        let word = String(decoding: bytes[offset..<position], as: UTF8.self)
        switch word {
        case "true": return .truth(true)
        case "false": return .truth(false)
        case "null": return .null
        default:
            guard Self.isNumber(word), let number = Double(word), number.isFinite else {
                // The message does not repeat the word, which may be a secret without its quotes.
                throw source.invalid("this is not a value; text must be in quotes", at: offset)
            }
            return .number(number)
        }
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF) || "+-._".utf8.contains(byte)
    }

    /// Whether `Double` and JSON read the word alike: no `nan`, `0x1`, `.5`, `5.`, `01` or `+1`.
    private static func isNumber(_ word: String) -> Bool {
        let digits = word.hasPrefix("-") ? word.dropFirst() : word[...]
        let whole = digits.prefix { $0.isASCII && $0.isNumber }
        guard !whole.isEmpty, whole.count == 1 || whole.first != "0" else { return false }
        let rest = digits.dropFirst(whole.count)
        return rest.allSatisfy { $0.isNumber || "+-.eE".contains($0) } && !rest.hasPrefix(".e")
            && !rest.hasPrefix(".E") && rest.last != "."
    }
}

extension JSONReader {
    /// Reads a text; the opening quote is next.
    private mutating func text() throws(CalotypeError) -> String {
        let start = position
        var scalars: [UInt8] = []
        position += 1
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                guard let text = String(validating: scalars, as: UTF8.self) else {
                    throw source.invalid("the text is not valid UTF-8", at: start)
                }
                return text
            case UInt8(ascii: "\\"): scalars += Array(String(try escaped()).utf8)
            case 0..<0x20:
                throw invalid(
                    "write line breaks and other control characters in escaped form, such as \\n"
                )
            default:
                scalars.append(byte)
                position += 1
            }
        }
        throw source.invalid("the quotes are not closed", at: start)
    }

    private mutating func escaped() throws(CalotypeError) -> Unicode.Scalar {
        let start = position
        position += 2
        switch start + 1 < bytes.count ? bytes[start + 1] : 0 {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try unicode(from: start)
        default: throw source.invalid("expected one of \" \\ / b f n r t u after the backslash", at: start)
        }
    }

    /// Reads four hexadecimal digits, or a surrogate pair for a character beyond 16 bits.
    private mutating func unicode(from start: Int) throws(CalotypeError) -> Unicode.Scalar {
        guard let first = hexadecimal() else {
            throw source.invalid("expected four hexadecimal digits after \\u", at: start)
        }
        if let scalar = Unicode.Scalar(first) { return scalar }
        if UTF16.isLeadSurrogate(UInt16(first)), take("\\"), take("u"), let second = hexadecimal(),
            UTF16.isTrailSurrogate(UInt16(second)),
            let scalar = Unicode.Scalar(0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00))
        {
            return scalar
        }
        throw source.invalid("this is half of a surrogate pair", at: start)
    }

    private mutating func hexadecimal() -> UInt32? {
        guard position + 4 <= bytes.count else { return nil }
        let digits = bytes[position..<position + 4]
        guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else { return nil }
        position += 4
        return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
    }
}

/// A JSON value, and its position in the text.
struct LocatedJSON {
    /// A field of an object.
    struct Field {
        let name: String
        /// The position of the name.
        let offset: Int
        let value: LocatedJSON
    }

    enum Value {
        case null
        case truth(Bool)
        case number(Double)
        case text(String)
        case list([LocatedJSON])
        /// The names are unique.
        case object([Field])
    }

    let value: Value
    let offset: Int
    let source: JSONSource

    /// Returns an error at the position of this value.
    func invalid(_ reason: String) -> CalotypeError { source.invalid(reason, at: offset) }

    /// The kind of value, for messages about a value of the wrong kind.
    var kind: String {
        switch value {
        case .null: "null"
        case .truth: "true or false"
        case .number: "a number"
        case .text: "text"
        case .list: "an array"
        case .object: "an object"
        }
    }
}

/// A JSON text, and the name that messages use for it.
struct JSONSource {
    let name: String
    let bytes: [UInt8]

    /// Returns an error at a byte, such as `post.json:7:12: …`.
    ///
    /// The message shows the line and the column of the byte, both from 1.
    func invalid(_ reason: String, at offset: Int) -> CalotypeError {
        let before = bytes.prefix(offset)
        let line = before.count { $0 == 0x0A } + 1
        let beginning = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        let column = String(decoding: before[beginning...], as: UTF8.self).count + 1
        return CalotypeError(.invalidDocument, "\(name):\(line):\(column): \(reason)", stage: .request)
    }
}
