/// Reads what ``RecordWriter`` wrote; anything else is damage, and never a trap.
package struct RecordReader {
    /// What was read is no record of the expected layout.
    package struct Damage: Error {
        package init() {}
    }

    private var rest: ArraySlice<UInt8>

    /// Begins to read.
    ///
    /// - Throws: ``Damage`` where the record is of another version.
    package init(_ bytes: [UInt8], version: UInt8) throws(Damage) {
        guard bytes.first == version else { throw Damage() }
        rest = bytes.dropFirst()
    }

    /// A number within `range`.
    package mutating func number(in range: ClosedRange<Int> = 0...Int.max) throws(Damage) -> Int {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 63, by: 7) {
            guard let byte = rest.popFirst() else { throw Damage() }
            value |= UInt64(byte & 0x7F) << shift
            guard byte & 0x80 == 0 else { continue }
            guard let number = Int(exactly: value), range.contains(number) else { throw Damage() }
            return number
        }
        throw Damage()
    }

    package mutating func flag() throws(Damage) -> Bool {
        try number(in: 0...1) == 1
    }

    package mutating func text() throws(Damage) -> String {
        guard let text = String(validating: try content(), as: UTF8.self) else { throw Damage() }
        return text
    }

    package mutating func content() throws(Damage) -> [UInt8] {
        let length = try number()
        guard length <= rest.count else { throw Damage() }
        defer { rest = rest.dropFirst(length) }
        return Array(rest.prefix(length))
    }

    /// What ``RecordWriter/add(optional:_:)`` wrote.
    package mutating func optional<Value>(
        _ read: (inout RecordReader) throws(Damage) -> Value
    ) throws(Damage) -> Value? {
        try flag() ? try read(&self) : nil
    }

    /// Ends the reading.
    ///
    /// - Throws: ``Damage`` where something is left.
    package func finish() throws(Damage) {
        guard rest.isEmpty else { throw Damage() }
    }
}
