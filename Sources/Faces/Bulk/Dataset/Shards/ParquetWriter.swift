/// Writes a Parquet file (https://parquet.apache.org/docs/file-format): flat columns, plain and uncompressed.
///
/// The values of a row group are held in memory until it is complete. Its functions block; call them on a file
/// thread.
struct ParquetWriter {
    /// The type of a column.
    enum Kind: Sendable {
        case text, int32, bytes
    }

    /// A column, whose values may be missing.
    struct Column: Sendable {
        let name: String
        let kind: Kind
    }

    /// A value of a row.
    enum Value {
        case null
        case text(String)
        case number(Int)
        case bytes([UInt8])
    }

    /// The pages of a column in the row group under construction.
    fileprivate struct Chunk {
        var pages: [UInt8] = []
        var valueCount = 0
        /// The values of the page under construction, and whether each is there.
        var values: [UInt8] = []
        var levels: [Bool] = []
    }

    /// Where a column of a written row group lies.
    fileprivate struct Place {
        let offset: Int
        let bytes: Int
        let valueCount: Int
    }

    private static let mark = Array("PAR1".utf8)
    private static let pageBytes = 1 << 20
    private static let groupBytes = 32 << 20

    private let columns: [Column]
    private let file: StagedFile
    private var chunks: [Chunk]
    private var groupRows = 0
    private var groups: [(rows: Int, places: [Place])] = []

    /// Begins a file.
    init(_ columns: [Column], to file: StagedFile) throws {
        self.columns = columns
        self.file = file
        chunks = columns.map { _ in Chunk() }
        try file.write(Self.mark)
    }

    /// Adds a row, with a value for each column.
    mutating func add(_ row: [Value]) throws {
        precondition(row.count == columns.count, "\(row.count) values for \(columns.count) columns")
        for (index, value) in row.enumerated() {
            chunks[index].add(value)
            if chunks[index].values.count >= Self.pageBytes { chunks[index].endPage() }
        }
        groupRows += 1
        if chunks.reduce(0, { $0 + $1.pages.count }) >= Self.groupBytes { try endGroup() }
    }

    /// Ends the file; the caller then finishes what it was written to.
    mutating func finish() throws {
        if groupRows > 0 || groups.isEmpty { try endGroup() }
        let footer = self.footer
        try file.write(footer)
        try file.write((0..<4).map { UInt8(truncatingIfNeeded: footer.count >> (8 * $0)) } + Self.mark)
    }

    private mutating func endGroup() throws {
        var places: [Place] = []
        for index in chunks.indices {
            chunks[index].endPage()
            let pages = chunks[index].pages
            let valueCount = chunks[index].valueCount
            places.append(Place(offset: file.count, bytes: pages.count, valueCount: valueCount))
            try file.write(pages)
            chunks[index] = Chunk()
        }
        groups.append((groupRows, places))
        groupRows = 0
    }

    private var footer: [UInt8] {
        var thrift = ThriftWriter()
        thrift.add(1, int32: 2)
        thrift.add(2, listOf: columns.count + 1)
        thrift.addElement {
            $0.add(4, text: "schema")
            $0.add(5, int32: columns.count)
        }
        for column in columns { thrift.addElement { column.describe(to: &$0) } }
        thrift.add(3, int64: groups.reduce(0) { $0 + $1.rows })
        thrift.add(4, listOf: groups.count)
        for group in groups { thrift.addElement { describe(group.rows, group.places, to: &$0) } }
        thrift.add(6, text: "calotype")
        thrift.end()
        return thrift.bytes
    }

    private func describe(_ rows: Int, _ places: [Place], to thrift: inout ThriftWriter) {
        thrift.add(1, listOf: columns.count)
        for (column, place) in zip(columns, places) {
            thrift.addElement { chunk in
                chunk.add(2, int64: place.offset)
                chunk.add(3) { column.describe(place.offset, place.bytes, place.valueCount, to: &$0) }
            }
        }
        thrift.add(2, int64: places.reduce(0) { $0 + $1.bytes })
        thrift.add(3, int64: rows)
    }
}

extension ParquetWriter.Chunk {
    fileprivate mutating func add(_ value: ParquetWriter.Value) {
        switch value {
        case .null:
            levels.append(false)
            return
        case .text(let text): add(bytes: Array(text.utf8))
        case .bytes(let bytes): add(bytes: bytes)
        case .number(let number): add(int32: number)
        }
        levels.append(true)
    }

    private mutating func add(bytes: [UInt8]) {
        add(int32: bytes.count)
        values += bytes
    }

    private mutating func add(int32 number: Int) {
        for shift in stride(from: 0, to: 32, by: 8) {
            values.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    fileprivate mutating func endPage() {
        guard !levels.isEmpty else { return }
        let runs = Self.runs(levels)
        let count = runs.count + 4 + values.count
        var header = ThriftWriter()
        header.add(1, int32: 0)
        header.add(2, int32: count)
        header.add(3, int32: count)
        header.add(5) { page in
            page.add(1, int32: levels.count)
            // Values are plain, levels run-length encoded.
            page.add(2, int32: 0)
            page.add(3, int32: 3)
            page.add(4, int32: 3)
        }
        header.end()
        pages += header.bytes
        pages += (0..<4).map { UInt8(truncatingIfNeeded: runs.count >> (8 * $0)) }
        pages += runs
        pages += values
        valueCount += levels.count
        values.removeAll(keepingCapacity: true)
        levels.removeAll(keepingCapacity: true)
    }

    /// Encodes whether each value is there, as runs of levels of one bit.
    private static func runs(_ levels: [Bool]) -> [UInt8] {
        var bytes: [UInt8] = []
        var start = 0
        while start < levels.count {
            let end = levels[start...].firstIndex { $0 != levels[start] } ?? levels.count
            var rest = UInt(end - start) << 1
            while rest > 0x7F {
                bytes.append(UInt8(rest & 0x7F) | 0x80)
                rest >>= 7
            }
            bytes += [UInt8(rest), levels[start] ? 1 : 0]
            start = end
        }
        return bytes
    }
}

extension ParquetWriter.Column {
    private var type: Int { kind == .int32 ? 1 : 6 }

    fileprivate func describe(to thrift: inout ThriftWriter) {
        thrift.add(1, int32: type)
        // The value may be missing.
        thrift.add(3, int32: 1)
        thrift.add(4, text: name)
        guard kind == .text else { return }
        thrift.add(6, int32: 0)
        thrift.add(10) { $0.add(1) { _ in } }
    }

    fileprivate func describe(_ offset: Int, _ bytes: Int, _ count: Int, to thrift: inout ThriftWriter) {
        thrift.add(1, int32: type)
        thrift.add(2, int32s: [0, 3])
        thrift.add(3, texts: [name])
        thrift.add(4, int32: 0)
        thrift.add(5, int64: count)
        thrift.add(6, int64: bytes)
        thrift.add(7, int64: bytes)
        thrift.add(9, int64: offset)
    }
}

/// Writes a structure in Thrift's compact protocol
/// (https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md).
struct ThriftWriter {
    private enum Kind: UInt8 {
        case int32 = 5
        case int64 = 6
        case binary = 8
        case list = 9
        case structure = 12
    }

    private(set) var bytes: [UInt8] = []
    private var last = 0

    mutating func add(_ field: Int, int32 number: Int) {
        begin(field, .int32)
        add(signed: number)
    }

    mutating func add(_ field: Int, int64 number: Int) {
        begin(field, .int64)
        add(signed: number)
    }

    mutating func add(_ field: Int, text: String) {
        begin(field, .binary)
        add(text: text)
    }

    mutating func add(_ field: Int, int32s numbers: [Int]) {
        begin(field, .list)
        begin(listOf: numbers.count, .int32)
        for number in numbers { add(signed: number) }
    }

    mutating func add(_ field: Int, texts: [String]) {
        begin(field, .list)
        begin(listOf: texts.count, .binary)
        for text in texts { add(text: text) }
    }

    /// Begins a list of structures, each of which follows with ``addElement(_:)``.
    mutating func add(_ field: Int, listOf count: Int) {
        begin(field, .list)
        begin(listOf: count, .structure)
    }

    mutating func add(_ field: Int, _ body: (inout ThriftWriter) -> Void) {
        begin(field, .structure)
        addElement(body)
    }

    mutating func addElement(_ body: (inout ThriftWriter) -> Void) {
        var inner = ThriftWriter()
        body(&inner)
        inner.end()
        bytes += inner.bytes
    }

    /// Ends the structure.
    mutating func end() { bytes.append(0) }

    private mutating func begin(_ field: Int, _ kind: Kind) {
        bytes.append(UInt8((field - last) << 4) | kind.rawValue)
        last = field
    }

    private mutating func begin(listOf count: Int, _ kind: Kind) {
        guard count >= 15 else { return bytes.append(UInt8(count << 4) | kind.rawValue) }
        bytes.append(0xF0 | kind.rawValue)
        add(unsigned: UInt(count))
    }

    private mutating func add(text: String) {
        add(unsigned: UInt(text.utf8.count))
        bytes += text.utf8
    }

    private mutating func add(signed number: Int) {
        add(unsigned: UInt(bitPattern: number << 1 ^ number >> 63))
    }

    private mutating func add(unsigned number: UInt) {
        var rest = number
        while rest > 0x7F {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}
