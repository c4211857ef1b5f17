public import CalotypeCore

/// Header fields in order; names compare without regard to case.
public struct HTTPHeaders: Hashable, Sendable, Sequence {
    /// One header field.
    public struct Field: Hashable, Sendable {
        /// The name as it was written.
        public let name: String
        /// The value without blanks at its ends.
        public let value: String

        /// Creates a field as an origin may send it.
        package init(unchecked name: String, _ value: String) {
            self.name = name
            self.value = value
        }

        /// Creates a field.
        ///
        /// - Throws: `invalid_request` where the name is no token (RFC 9110, section 5.1) or the value has a line break or
        ///   another control character, which could smuggle in a second field.
        public init(_ name: String, _ value: String) throws(CalotypeError) {
            guard Self.isToken(name) else {
                throw Self.invalid(
                    "a header name is letters, digits and hyphens; \"\(name.prefix(64))\" is not"
                )
            }
            guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
                throw Self.invalid("the value of the header \(name) has a line break or control character")
            }
            self.init(unchecked: name, value.trimmingBlanks())
        }

        /// Whether `text` is a token (RFC 9110, section 5.6.2).
        package static func isToken(_ text: String) -> Bool {
            !text.isEmpty && text.utf8.allSatisfy(isTokenByte)
        }

        private static func isTokenByte(_ byte: UInt8) -> Bool {
            byte.isASCIILetter || byte.isASCIIDigit || "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }

        private static func invalid(_ message: String) -> CalotypeError {
            CalotypeError(.invalidRequest, message, stage: .request)
        }

        /// Whether it is called `other`, which may be written otherwise.
        package func hasName(_ other: String) -> Bool {
            name.utf8.count == other.utf8.count
                && zip(name.utf8, other.utf8).allSatisfy { $0.asciiLowercased == $1.asciiLowercased }
        }
    }

    private var fields: [Field] = []

    /// Creates an empty list.
    public init() {}

    /// Creates a list of `fields`.
    public init(_ fields: some Sequence<Field>) {
        self.fields = Array(fields)
    }

    /// The number of fields.
    public var count: Int { fields.count }

    /// The value of the first field called `name`.
    public subscript(name: String) -> String? {
        fields.first { $0.hasName(name) }?.value
    }

    /// The values of all fields called `name`, in order.
    public func values(of name: String) -> [String] {
        fields.filter { $0.hasName(name) }.map(\.value)
    }

    /// Adds `field` at the end.
    public mutating func append(_ field: Field) {
        fields.append(field)
    }

    /// Removes all fields called `name`.
    public mutating func removeAll(_ name: String) {
        fields.removeAll { $0.hasName(name) }
    }

    /// Removes all fields whose name begins with `prefix`.
    mutating func removeAll(prefix: String) {
        fields.removeAll { $0.name.lowercased().hasPrefix(prefix) }
    }

    /// The fields in order.
    public func makeIterator() -> IndexingIterator<[Field]> {
        fields.makeIterator()
    }
}

extension BidirectionalCollection<Character> {
    /// The text without spaces and tabs at its ends.
    func trimmingBlanks() -> String {
        let isBlank = { (character: Character) in character == " " || character == "\t" }
        guard let first = firstIndex(where: { !isBlank($0) }), let last = lastIndex(where: { !isBlank($0) })
        else {
            return ""
        }
        return String(self[first...last])
    }
}
