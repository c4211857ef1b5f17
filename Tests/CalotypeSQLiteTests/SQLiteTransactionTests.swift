import CalotypeSQLite
import Testing

struct SQLiteTransactionTests {
    private let folder: TemporaryFolder
    private let writer: SQLiteConnection
    private let reader: SQLiteConnection

    init() throws {
        folder = try TemporaryFolder()
        writer = try SQLiteConnection(path: folder.file("test.db"), busyTimeout: .zero)
        #expect(try writer.setPragma("journal_mode", to: "WAL") == "wal")
        try writer.execute("CREATE TABLE t(a)")
        reader = try SQLiteConnection(path: folder.file("test.db"), .readOnly, busyTimeout: .zero)
    }

    private func count(_ connection: SQLiteConnection) throws -> Int? {
        try connection.first("SELECT count(*) FROM t") { $0.int(0) }
    }

    @Test func `a transaction is seen by others when it is committed`() throws {
        let seen = try writer.transaction(.immediate) { () throws(SQLiteError) -> Int? in
            try writer.run("INSERT INTO t VALUES (1)")
            #expect(writer.isInTransaction)
            return try reader.first("SELECT count(*) FROM t") { $0.int(0) }
        }
        #expect(seen == 0)
        #expect(try count(reader) == 1)
        #expect(!writer.isInTransaction)
    }

    @Test func `a transaction that throws leaves nothing`() throws {
        #expect(throws: SQLiteError.self) {
            try writer.transaction(.immediate) { () throws(SQLiteError) in
                try writer.run("INSERT INTO t VALUES (1)")
                try writer.run("INSERT INTO missing VALUES (1)")
            }
        }
        #expect(!writer.isInTransaction)
        #expect(try count(writer) == 0)
    }

    @Test func `transactions do not nest`() throws {
        try writer.transaction(.immediate) { () throws(SQLiteError) in
            #expect(throws: SQLiteError.self) { try writer.transaction(.immediate) {} }
        }
    }

    @Test func `a checkpoint brings the log into the file`() throws {
        try writer.run("INSERT INTO t VALUES (1)")
        let passive = try writer.checkpoint(.passive)
        #expect(passive.isComplete && passive.logPages > 0)
        let truncated = try writer.checkpoint(.truncate)
        #expect(truncated.isComplete && truncated.logPages == 0)
    }

    @Test func `a reader in a transaction holds a checkpoint up, a finished query does not`() throws {
        #expect(try count(reader) == 0)
        try reader.transaction(.deferred) { () throws(SQLiteError) in
            _ = try reader.first("SELECT count(*) FROM t") { $0.int(0) }
            try writer.run("INSERT INTO t VALUES (1)")
            #expect(try !writer.checkpoint(.truncate).isComplete)
        }
        #expect(try writer.checkpoint(.truncate).isComplete)
    }
}
