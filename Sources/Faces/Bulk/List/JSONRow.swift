import CalotypeCore

/// Reads the members of one JSON object (RFC 8259) that are wanted; others are only checked.
struct JSONRow {
    private static let mostLevels = 64

    private let bytes: [UInt8]
    private var position = 0

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Returns the values of `names` in the object, `null` for those it lacks; the last of two equal names
    /// counts.
    static func fields(_ names: [String], in bytes: [UInt8]) throws(BulkError) -> [ListField] {
        var fields = [ListField](repeating: .null, count: names.count)
        try forEachMember(of: bytes) { name, value in
            for index in names.indices where names[index] == name { fields[index] = value }
        }
        return fields
    }

    /// Returns all names and values of the object.
    static func members(in bytes: [UInt8]) throws(BulkError) -> [(name: String, value: ListField)] {
        var members: [(name: String, value: ListField)] = []
        try forEachMember(of: bytes) { members.append(($0, $1)) }
        return members
    }

    private static func forEachMember(
        of bytes: [UInt8],
        _ body: (String, ListField) -> Void
    ) throws(BulkError) {
        var reader = JSONRow(bytes)
        reader.skipBlanks()
        guard reader.take("{") else { throw BulkError("it is no JSON object") }
        reader.skipBlanks()
        if !reader.take("}") {
            repeat {
                reader.skipBlanks()
                let name = try reader.string()
                reader.skipBlanks()
                guard reader.take(":") else { throw BulkError("a colon is missing after '\(name)'") }
                body(name, try reader.value(level: 1))
                reader.skipBlanks()
            } while reader.take(",")
            guard reader.take("}") else { throw BulkError("the object has no end") }
        }
        reader.skipBlanks()
        guard reader.position == bytes.count else { throw BulkError("there is more after the object") }
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipBlanks() {
        while let byte = next, byte == 0x20 || (0x09...0x0D).contains(byte) { position += 1 }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard let byte = next, byte == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func value(level: Int) throws(BulkError) -> ListField {
        skipBlanks()
        let start = position
        guard let byte = next else { throw BulkError("a value is missing") }
        switch byte {
        case UInt8(ascii: "\""): return .text(try string())
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            try skipNested(level: level)
        default:
            while let byte = next, !Self.endsWord(byte) { position += 1 }
            let word = String(decoding: bytes[start..<position], as: UTF8.self)
            if word == "null" { return .null }
            guard word == "true" || word == "false" || Self.isNumber(word) else {
                throw BulkError("'\(word.prefix(40))' is no JSON value")
            }
        }
        return .json(String(decoding: bytes[start..<position], as: UTF8.self))
    }

    /// Skips an array or an object.
    private mutating func skipNested(level: Int) throws(BulkError) {
        guard level < Self.mostLevels else { throw BulkError("values are nested too deeply") }
        let isObject = next == UInt8(ascii: "{")
        position += 1
        let end: Unicode.Scalar = isObject ? "}" : "]"
        skipBlanks()
        if take(end) { return }
        repeat {
            skipBlanks()
            if isObject {
                _ = try string()
                skipBlanks()
                guard take(":") else { throw BulkError("a colon is missing") }
            }
            _ = try value(level: level + 1)
            skipBlanks()
        } while take(",")
        guard take(end) else { throw BulkError("an array or object has no end") }
    }

    private mutating func string() throws(BulkError) -> String {
        guard take("\"") else { throw BulkError("a name or text in quotes is missing") }
        var text: [UInt8] = []
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return ListLine.text(text[...])
            case UInt8(ascii: "\\"): try escape(&text)
            default: text.append(byte)
            }
        }
        throw BulkError("a text has no closing quote")
    }

    private mutating func escape(_ text: inout [UInt8]) throws(BulkError) {
        guard let byte = next else { throw BulkError("a text has no closing quote") }
        position += 1
        switch byte {
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "u"): text += Array(String(try scalar()).utf8)
        default: throw BulkError("a text has an unknown escape")
        }
    }

    /// Reads the digits of an escape, and those of a second one if they are a surrogate pair.
    private mutating func scalar() throws(BulkError) -> Character {
        let first = try hexadecimal()
        if let scalar = Unicode.Scalar(first) { return Character(scalar) }
        guard (0xD800..<0xDC00).contains(first), take("\\"), take("u") else { return "\u{FFFD}" }
        let second = try hexadecimal()
        guard (0xDC00..<0xE000).contains(second) else { return "\u{FFFD}" }
        let code = 0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)
        return Unicode.Scalar(code).map(Character.init) ?? "\u{FFFD}"
    }

    private mutating func hexadecimal() throws(BulkError) -> UInt32 {
        guard position + 4 <= bytes.count,
            let code = UInt32(String(decoding: bytes[position..<position + 4], as: UTF8.self), radix: 16)
        else { throw BulkError("a text has an unknown escape") }
        position += 4
        return code
    }

    private static func endsWord(_ byte: UInt8) -> Bool {
        byte <= 0x20 || [UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]")].contains(byte)
    }

    private static func isNumber(_ word: String) -> Bool {
        guard let first = word.utf8.first, let last = word.utf8.last,
            first == UInt8(ascii: "-") || isDigit(first), isDigit(last)
        else { return false }
        return word.utf8.allSatisfy { isDigit($0) || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains($0) }
            && Double(word) != nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}

/// Splits chunks of bytes into the objects of an array.
struct JSONArrayItems {
    private static let limit = DelimitedRows.limit

    /// An object, and the number of the line in which it begins.
    struct Item {
        var bytes: [UInt8]
        var line: Int
    }

    private var item: [UInt8] = []
    private var depth = 0
    private var isInText = false
    private var isEscaped = false
    private var hasBegun = false
    private var hasEnded = false
    private var line = 1
    private var firstLine = 1

    /// Returns the objects that end in `chunk`.
    ///
    /// - Throws: ``BulkError`` if there is anything but objects.
    mutating func split(_ chunk: [UInt8]) throws(BulkError) -> [Item] {
        var items: [Item] = []
        for byte in chunk {
            if byte == UInt8(ascii: "\n") { line += 1 }
            if depth == 0 {
                try takeBetween(byte)
            } else {
                takeInside(byte)
                if depth == 0 {
                    items.append(Item(bytes: item, line: firstLine))
                    item.removeAll(keepingCapacity: true)
                }
            }
            if item.count > Self.limit {
                throw BulkError("line \(firstLine): an object is longer than 1 MiB")
            }
        }
        return items
    }

    /// Ends the list.
    ///
    /// - Throws: ``BulkError`` if the array has no end.
    func finish() throws(BulkError) {
        if hasBegun, !hasEnded { throw BulkError("the array has no end; is the file complete?") }
    }

    private mutating func takeBetween(_ byte: UInt8) throws(BulkError) {
        switch byte {
        case 0x20, 0x09...0x0D: return
        case UInt8(ascii: "[") where !hasBegun: hasBegun = true
        case UInt8(ascii: "]") where hasBegun && !hasEnded: hasEnded = true
        case UInt8(ascii: ",") where hasBegun && !hasEnded: return
        case UInt8(ascii: "{") where hasBegun && !hasEnded:
            depth = 1
            firstLine = line
            item.append(byte)
        default: throw BulkError("line \(line): the array has something that is no object")
        }
    }

    private mutating func takeInside(_ byte: UInt8) {
        item.append(byte)
        if isInText {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInText = false
            }
            return
        }
        switch byte {
        case UInt8(ascii: "\""): isInText = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
        default: break
        }
    }
}
