internal import CalotypeCore

/// Reads a small XML document (XML 1.0, in UTF-8), such as an S3 server's response, event by event.
///
/// It supports elements, text, character references, CDATA, comments and processing instructions. It skips
/// attributes, and drops the prefixes of names. It refuses a document type, so that no entity can be
/// declared: no input expands when it is read.
struct XMLReader {
    enum Event: Hashable {
        case start(String)
        case text(String)
        case end(String)
    }

    /// The maximum number of open elements.
    static let depthLimit = 32
    /// The maximum number of elements.
    static let elementLimit = 20_000
    /// The maximum number of bytes in a name.
    static let nameLimit = 128

    private let bytes: [UInt8]
    private var position = 0
    private var open: [String] = []
    private var elements = 0
    /// The end event of an element without content.
    private var pending: Event?

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        skip("\u{FEFF}")
    }

    /// Returns the next event; `nil` at the end of a complete document.
    ///
    /// - Throws: `invalid_document`.
    mutating func next() throws(CalotypeError) -> Event? {
        if let event = pending {
            pending = nil
            return event
        }
        while position < bytes.count {
            guard bytes[position] == UInt8(ascii: "<") else {
                if let text = try text() { return text }
                continue
            }
            if let event = try markup() { return event }
        }
        guard open.isEmpty, elements > 0 else { throw Self.invalid("it ends too early") }
        return nil
    }

    // MARK: Markup

    private mutating func markup() throws(CalotypeError) -> Event? {
        if skip("<!--") {
            try seek("-->")
        } else if skip("<?") {
            try seek("?>")
        } else if skip("<![CDATA[") {
            let start = position
            let end = try seek("]]>")
            guard !open.isEmpty else { throw Self.invalid("it has text outside its root element") }
            return .text(String(decoding: bytes[start..<end], as: UTF8.self))
        } else if skip("<!") {
            throw Self.invalid("it has a document type declaration, which is not supported")
        } else if skip("</") {
            return try endTag()
        } else {
            return try startTag()
        }
        return nil
    }

    private mutating func startTag() throws(CalotypeError) -> Event {
        position += 1
        let name = try name()
        elements += 1
        guard elements <= Self.elementLimit, open.count < Self.depthLimit else {
            throw Self.invalid("it has too many elements")
        }
        guard !open.isEmpty || elements == 1 else { throw Self.invalid("it has more than one element") }
        if try skipAttributes() {
            pending = .end(name)
        } else {
            open.append(name)
        }
        return .start(name)
    }

    private mutating func endTag() throws(CalotypeError) -> Event {
        let name = try name()
        skipBlanks()
        guard skip(">"), open.popLast() == name else { throw Self.invalid("its tags do not match") }
        return .end(name)
    }

    /// Skips to the end of a start tag, and returns whether the element has no content.
    private mutating func skipAttributes() throws(CalotypeError) -> Bool {
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: ">"): return false
            case UInt8(ascii: "/"):
                guard skip(">") else { throw Self.invalid("it has an unclosed tag") }
                return true
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                guard let end = bytes[position...].firstIndex(of: byte) else {
                    throw Self.invalid("it ends too early")
                }
                position = end + 1
            case UInt8(ascii: "<"): throw Self.invalid("it has an unclosed tag")
            default: break
            }
        }
        throw Self.invalid("it ends too early")
    }

    /// Reads a name, and returns it without its prefix.
    private mutating func name() throws(CalotypeError) -> String {
        let start = position
        while position < bytes.count, Self.isName(bytes[position]) { position += 1 }
        let name = bytes[start..<position]
        guard !name.isEmpty, name.count <= Self.nameLimit else {
            throw Self.invalid("it has an invalid name")
        }
        let local = name.split(separator: UInt8(ascii: ":")).last ?? name
        return String(decoding: local, as: UTF8.self)
    }

    private static func isName(_ byte: UInt8) -> Bool {
        byte > 0x20 && !"<>/=\"'&".utf8.contains(byte)
    }

    // MARK: Text

    /// Returns the text up to the next tag; `nil` for blanks around the outermost element.
    private mutating func text() throws(CalotypeError) -> Event? {
        let end = bytes[position...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
        let raw = bytes[position..<end]
        position = end
        guard !open.isEmpty else {
            guard raw.allSatisfy(Self.isBlank) else {
                throw Self.invalid("it has text outside its root element")
            }
            return nil
        }
        return .text(try XMLText.decoded(raw))
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        [0x20, 0x09, 0x0A, 0x0D].contains(byte)
    }

    // MARK: Position

    @discardableResult
    private mutating func skip(_ text: String) -> Bool {
        guard bytes[position...].starts(with: text.utf8) else { return false }
        position += text.utf8.count
        return true
    }

    private mutating func skipBlanks() {
        while position < bytes.count, Self.isBlank(bytes[position]) { position += 1 }
    }

    /// Skips past the next `mark`, and returns the position at which it begins.
    @discardableResult
    private mutating func seek(_ mark: String) throws(CalotypeError) -> Int {
        while position < bytes.count {
            if skip(mark) { return position - mark.utf8.count }
            position += 1
        }
        throw Self.invalid("it ends too early")
    }

    static func invalid(_ reason: String) -> CalotypeError {
        CalotypeError(
            .invalidDocument,
            "the response is not the expected XML: \(reason)",
            stage: .response
        )
    }
}
