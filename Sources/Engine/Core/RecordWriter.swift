/// Writes the fields of a stored record one after another; ``RecordReader`` reads them in the same order.
///
/// Numbers are written in the variable-length form of LEB128 (DWARF 5, section 7.6), texts and bytes after their length.
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

    /// Adds whether there is a value, and the value as `write` does.
    package mutating func add<Value>(
        optional value: Value?,
        _ write: (inout RecordWriter, Value) -> Void
    ) {
        add(value != nil)
        if let value { write(&self, value) }
    }
}
