import CalotypeSQLite
import Foundation
import Testing

struct SQLiteErrorTests {
    private let folder: TemporaryFolder
    private let connection: SQLiteConnection

    init() throws {
        folder = try TemporaryFolder()
        connection = try SQLiteConnection(path: folder.file("test.db"), busyTimeout: .zero)
        try connection.execute("CREATE TABLE t(a UNIQUE)")
    }

    private func error(_ body: () throws -> Void) -> SQLiteError? {
        #expect(throws: SQLiteError.self, performing: body)
    }

    @Test func `bad SQL is reported with its text`() {
        let error = error { try connection.run("SELECT nonsense FROM t") }
        #expect(error?.code == .error)
        #expect(error?.sql == "SELECT nonsense FROM t")
        #expect(error?.message == "no such column: nonsense")
        #expect(error?.description == "SQLite: no such column: nonsense (code 1) in SELECT nonsense FROM t")
    }

    @Test func `a violated constraint is reported with its details, and the statement works again`() throws {
        let sql = "INSERT INTO t VALUES (?)"
        try connection.run(sql, 1)
        let error = error { try connection.run(sql, 1) }
        #expect(error?.code == .constraint)
        #expect(error?.extendedCode == 2067)
        try connection.run(sql, 2)
    }

    @Test func `too few and too many values are a misuse`() {
        #expect(error { try connection.run("INSERT INTO t VALUES (?)") }?.code == .misuse)
        #expect(error { try connection.run("INSERT INTO t VALUES (?)", 1, 2) }?.code == .misuse)
    }

    @Test func `a text with no statement or with two is a misuse`() throws {
        #expect(error { try connection.run("") }?.code == .misuse)
        #expect(error { try connection.run("SELECT 1; SELECT 2") }?.code == .misuse)
        try connection.run("SELECT 1;\n")
    }

    @Test func `a value that is too large is refused, and the statement works again`() throws {
        let sql = "SELECT length(?)"
        let error = error { try connection.run("SELECT length(zeroblob(?))", .integer(1 << 40)) }
        #expect(error?.code == .tooLarge)
        #expect(try connection.first(sql, "abc") { $0.int(0) } == 3)
    }

    @Test func `a second writer is busy`() throws {
        let other = try SQLiteConnection(path: folder.file("test.db"), busyTimeout: .zero)
        try connection.transaction(.immediate) { () throws(SQLiteError) in
            #expect(error { try other.transaction(.immediate) {} }?.code == .busy)
        }
        try other.transaction(.immediate) {}
    }

    @Test func `a file that is not a database is detected by the first statement`() throws {
        let text = String(repeating: "no database ", count: 100)
        try text.write(toFile: folder.file("text"), atomically: true, encoding: .utf8)
        let other = try SQLiteConnection(path: folder.file("text"))
        #expect(error { _ = try other.userVersion() }?.code == .notADatabase)
    }

    @Test func `a file or folder that is not there cannot be opened`() {
        let missing = folder.file("missing.db")
        #expect(error { _ = try SQLiteConnection(path: missing, .readOnly) }?.code == .cannotOpen)
        #expect(error { _ = try SQLiteConnection(path: missing, .readWrite) }?.code == .cannotOpen)
        #expect(error { _ = try SQLiteConnection(path: "\(missing)/test.db") }?.code == .cannotOpen)
    }

    @Test func `a read-only connection writes nothing`() throws {
        let reader = try SQLiteConnection(path: folder.file("test.db"), .readOnly)
        #expect(error { try reader.run("INSERT INTO t VALUES (1)") }?.code == .readOnly)
    }

    @Test func `a closed connection is a misuse, and closing twice is none`() throws {
        try connection.run("SELECT 1")
        try connection.close()
        try connection.close()
        #expect(error { try connection.run("SELECT 1") }?.code == .misuse)
        #expect(error { try connection.execute("SELECT 1") }?.code == .misuse)
        #expect(!connection.isInTransaction)
    }
}
