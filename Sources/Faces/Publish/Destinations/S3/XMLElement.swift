internal import CalotypeCore

/// An element of an XML document with all its contents.
struct XMLElement: Hashable, Sendable {
    /// The name without its prefix.
    let name: String
    /// The text directly in the element, joined.
    private(set) var text = ""
    /// The child elements, in order.
    private(set) var children: [XMLElement] = []

    private init(name: String) {
        self.name = name
    }

    /// Parses a whole document.
    ///
    /// - Throws: `invalid_document`.
    init(document bytes: [UInt8]) throws(CalotypeError) {
        var reader = XMLReader(bytes)
        var open: [XMLElement] = []
        var root: XMLElement?
        while let event = try reader.next() {
            switch event {
            case .start(let name): open.append(XMLElement(name: name))
            case .text(let text):
                if !open.isEmpty { open[open.count - 1].text += text }
            case .end:
                guard let element = open.popLast() else { break }
                if open.isEmpty { root = element } else { open[open.count - 1].children.append(element) }
            }
        }
        guard let root else { throw XMLReader.invalid("it contains no element") }
        self = root
    }

    /// The text of the first child with that name; `nil` if there is none.
    subscript(name: String) -> String? {
        children.first { $0.name == name }?.text
    }

    /// Returns the number in the first child with that name; surrounding blanks are ignored.
    func number(_ name: String) -> Int? {
        guard let words = self[name]?.split(whereSeparator: \.isWhitespace), words.count == 1 else {
            return nil
        }
        return Int(words[0])
    }

    /// Returns the children with that name.
    func all(_ name: String) -> [XMLElement] {
        children.filter { $0.name == name }
    }
}

/// Encodes and decodes text in XML documents.
enum XMLText {
    private static let entities: [String: UInt8] = [
        "amp": UInt8(ascii: "&"), "lt": UInt8(ascii: "<"), "gt": UInt8(ascii: ">"),
        "quot": UInt8(ascii: "\""), "apos": UInt8(ascii: "'"),
    ]

    /// The maximum number of bytes between `&` and `;`.
    private static let referenceLimit = 10

    /// Returns `text` with references in place of characters that have a meaning in XML.
    ///
    /// Characters that XML does not allow are removed.
    static func encoded(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            default: if isAllowed(scalar) { result.unicodeScalars.append(scalar) }
            }
        }
        return result
    }

    /// Decodes text from a document.
    ///
    /// - Throws: `invalid_document` for a reference to anything but a character.
    static func decoded(_ raw: ArraySlice<UInt8>) throws(CalotypeError) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(raw.count)
        var rest = raw
        while let mark = rest.firstIndex(of: UInt8(ascii: "&")) {
            result += rest[..<mark]
            let reference = rest[(mark + 1)...].prefix(referenceLimit + 1)
            guard let end = reference.firstIndex(of: UInt8(ascii: ";")),
                let character = character(String(decoding: reference[..<end], as: UTF8.self))
            else {
                throw XMLReader.invalid("it contains an invalid character reference")
            }
            result += character
            rest = rest[(end + 1)...]
        }
        return String(decoding: result + rest, as: UTF8.self)
    }

    private static func character(_ name: String) -> [UInt8]? {
        if let byte = entities[name] { return [byte] }
        guard name.hasPrefix("#") else { return nil }
        let digits = name.dropFirst()
        let isHexadecimal = digits.hasPrefix("x")
        guard digits.utf8.last.map({ $0 != UInt8(ascii: "x") }) == true, !digits.contains("+"),
            let number = UInt32(isHexadecimal ? digits.dropFirst() : digits, radix: isHexadecimal ? 16 : 10),
            let scalar = Unicode.Scalar(number), isAllowed(scalar)
        else { return nil }
        return Array(String(Character(scalar)).utf8)
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0x20 || [0x09, 0x0A, 0x0D].contains(scalar.value)
    }
}
