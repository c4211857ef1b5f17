/// Writes the fields of a stored record one after another; ``RecordReader`` reads them in the same order.
///
/// Numbers are written in the variable-length form of LEB128 (DWARF 5, section 7.6), texts and bytes are
/// preceded by their length.
package struct RecordWriter {
    package private(set) var bytes: [UInt8] = []

    /// Creates a record that begins with the version of its layout.
    package init(version: UInt8) {
        bytes.append(version)
    }

    /// Adds a number that is not negative.
    package mutating func add(_ number: Int) {
        var rest = UInt(max(number, 0))
        while rest > 0x7F {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    package mutating func add(_ flag: Bool) {
        bytes.append(flag ? 1 : 0)
    }

    package mutating func add(_ text: String) {
        add(Array(text.utf8))
    }

    package mutating func add(_ content: [UInt8]) {
        add(content.count)
        bytes += content
    }

    /// Adds whether there is a value, and the value itself with `write`.
    package mutating func add<Value>(
        optional value: Value?,
        _ write: (inout RecordWriter, Value) -> Void
    ) {
        add(value != nil)
        if let value { write(&self, value) }
    }
}

/// Reads a record from ``RecordWriter``; treats anything else as damage, and never traps.
package struct RecordReader {
    private var rest: ArraySlice<UInt8>

    /// Starts reading.
    ///
    /// - Throws: ``SystemError`` if the record has another version.
    package init(_ bytes: [UInt8], version: UInt8) throws(SystemError) {
        guard bytes.first == version else { throw .notARecord }
        rest = bytes.dropFirst()
    }

    /// Reads a number within `range`.
    package mutating func number(in range: ClosedRange<Int> = 0...Int.max) throws(SystemError) -> Int {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 63, by: 7) {
            guard let byte = rest.popFirst() else { throw .notARecord }
            value |= UInt64(byte & 0x7F) << shift
            guard byte & 0x80 == 0 else { continue }
            guard let number = Int(exactly: value), range.contains(number) else {
                throw .notARecord
            }
            return number
        }
        throw .notARecord
    }

    package mutating func flag() throws(SystemError) -> Bool {
        try number(in: 0...1) == 1
    }

    package mutating func text() throws(SystemError) -> String {
        guard let text = String(validating: try content(), as: UTF8.self) else {
            throw .notARecord
        }
        return text
    }

    package mutating func content() throws(SystemError) -> [UInt8] {
        let length = try number()
        guard length <= rest.count else { throw .notARecord }
        defer { rest = rest.dropFirst(length) }
        return Array(rest.prefix(length))
    }

    /// Reads an optional value from ``RecordWriter/add(optional:_:)``.
    package mutating func optional<Value>(
        _ read: (inout RecordReader) throws(SystemError) -> Value
    ) throws(SystemError) -> Value? {
        try flag() ? try read(&self) : nil
    }

    /// Ends the reading.
    ///
    /// - Throws: ``SystemError`` if bytes are left.
    package func finish() throws(SystemError) {
        guard rest.isEmpty else { throw .notARecord }
    }
}
