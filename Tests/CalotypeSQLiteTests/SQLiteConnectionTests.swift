import CalotypeSQLite
import Testing

struct SQLiteConnectionTests {
    private let folder: TemporaryFolder
    private let connection: SQLiteConnection

    init() throws {
        folder = try TemporaryFolder()
        connection = try SQLiteConnection(path: folder.file("test.db"), busyTimeout: .zero)
    }

    private func makeTable() throws {
        try connection.execute(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b UNIQUE); INSERT INTO t(a) VALUES (1)"
        )
    }

    private static let values: [SQLiteValue] = [
        nil, 0, .integer(.min), .integer(.max), 1.5, "", "text", "a\0b",
        "über 🖼️ and longer than a small string",
        .blob([]), .blob([0]), .blob([UInt8](repeating: 7, count: 100_000)), .int(-1),
    ]

    @Test(arguments: values)
    func `each value comes back as it was`(_ value: SQLiteValue) throws {
        #expect(try connection.first("SELECT ?", value) { $0.value(0) } == value)
    }

    @Test func `nothing is null`() throws {
        let texts: String? = nil
        let bytes: [UInt8]? = nil
        let areNull = try connection.first("SELECT ?, ?", .text(texts), .blob(bytes)) {
            [$0.isNull(0), $0.isNull(1)]
        }
        #expect(areNull == [true, true])
        #expect(SQLiteValue.text(Optional("a")) == "a")
        #expect(SQLiteValue.blob(Optional([1])) == .blob([1]))
    }

    @Test func `columns are read in the requested type`() throws {
        let checks = try connection.first("SELECT 7, 2.5, 'x', x'0102', NULL") { row in
            [
                row.count == 5, row.int(0) == 7, row.integer(1) == 2, row.real(1) == 2.5, row.text(2) == "x",
                row.blob(3) == [1, 2], row.withBlob(3) { $0.byteCount } == 2, row.isNull(4), !row.isNull(3),
                row.text(4) == "", row.blob(4).isEmpty, row.int(4) == 0, row.withBlob(4) { $0.isEmpty },
            ]
        }
        #expect(checks == Array(repeating: true, count: 13))
    }

    @Test func `rows come in order, the first alone or all`() throws {
        let sql = "SELECT value FROM (SELECT 3 AS value UNION ALL SELECT 1 UNION ALL SELECT 2) ORDER BY value"
        #expect(try connection.all(sql) { $0.int(0) } == [1, 2, 3])
        #expect(try connection.first(sql) { $0.int(0) } == 1)
        #expect(try connection.first("SELECT 1 WHERE 0") { $0.int(0) } == nil)
    }

    @Test func `a change returns the number of changed rows, and the new key`() throws {
        try makeTable()
        #expect(try connection.run("INSERT INTO t(a) VALUES (?), (?)", 2, 3) == 2)
        #expect(connection.lastInsertedID == 3)
        #expect(try connection.run("DELETE FROM t WHERE a > ?", 0) == 3)
        #expect(try connection.run("DELETE FROM t") == 0)
    }

    @Test func `a statement may run again inside of itself`() throws {
        try makeTable()
        try connection.run("INSERT INTO t(a) VALUES (2)")
        let sql = "SELECT id FROM t"
        let nested = try connection.all(sql) { _ in
            let inner = try? connection.all(sql) { $0.int(0) }
            return inner ?? []
        }
        #expect(nested == [[1, 2], [1, 2]])
    }

    @Test func `many different statements are not all kept`() throws {
        for number in 0..<200 {
            #expect(try connection.first("SELECT \(number)") { $0.int(0) } == number)
        }
        #expect(try connection.first("SELECT 3") { $0.int(0) } == 3)
    }

    @Test func `what was written is read by the next connection`() throws {
        try makeTable()
        try connection.setUserVersion(7)
        try connection.close()
        let reader = try SQLiteConnection(path: folder.file("test.db"), .readOnly)
        #expect(try reader.userVersion() == 7)
        #expect(try reader.first("SELECT a FROM t") { $0.int(0) } == 1)
        #expect(try reader.quickCheck() == [])
    }
}
