/// A header field: a name and a value.
///
/// It may be any text. What is sent is checked when it is added to a request.
public struct HeaderField: Hashable, Sendable {
    /// The name as it is written.
    public var name: String
    /// The value.
    public var value: String

    /// Creates a field.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// Creates a field that can be sent; blanks at the ends of the value are removed.
    ///
    /// - Throws: ``HTTPMessageError`` if the name is not a token (RFC 9110, section 5.1), or the value has a
    ///   line break or another control character, which could smuggle in a second field.
    public init(checking name: String, _ value: String) throws(HTTPMessageError) {
        guard name.isToken else {
            throw HTTPMessageError(
                .invalidField,
                "a header name can contain only letters, digits and hyphens; \"\(name.prefix(64))\" is not"
            )
        }
        guard value.isFieldValue else {
            throw HTTPMessageError(
                .invalidField,
                "the value of the header \(name) has a line break or control character"
            )
        }
        self.init(name, value.trimmingBlanks())
    }

    /// Whether the field has the name `other`, in upper or lower case.
    package func hasName(_ other: String) -> Bool {
        name.utf8.count == other.utf8.count
            && zip(name.utf8, other.utf8).allSatisfy { $0.asciiLowercased == $1.asciiLowercased }
    }
}

extension String {
    /// Whether the text is a token (RFC 9110, section 5.6.2).
    package var isToken: Bool {
        !isEmpty
            && utf8.allSatisfy {
                $0.isASCIILetter || $0.isASCIIDigit || "!#$%&'*+-.^_`|~".utf8.contains($0)
            }
    }

    /// Whether the text can be the value of a field: it has no control character but tabs.
    package var isFieldValue: Bool {
        utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }
}

extension BidirectionalCollection<Character> {
    /// The text without spaces and tabs at its ends.
    package func trimmingBlanks() -> String {
        let isBlank = { (character: Character) in character == " " || character == "\t" }
        guard let first = firstIndex(where: { !isBlank($0) }), let last = lastIndex(where: { !isBlank($0) })
        else {
            return ""
        }
        return String(self[first...last])
    }
}

extension UInt8 {
    package var isASCIIDigit: Bool { (0x30...0x39).contains(self) }
    package var isASCIILetter: Bool { (0x41...0x5A).contains(self & 0xDF) }
    /// The lower-case form of an ASCII capital letter, every other byte as it is.
    package var asciiLowercased: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}
