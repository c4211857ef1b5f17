internal import CalotypeCSQLite
internal import CalotypeFiles

/// The owner of a compiled statement, which it finalizes.
@safe
final class SQLiteStatement {
    // SAFETY: the pointer is used between init and deinit only, by the one thread that uses the connection;
    // values are unbound before their memory is freed.
    private let statement: OpaquePointer
    private let database: OpaquePointer
    private let sql: String

    init(_ sql: String, _ database: OpaquePointer) throws(SQLiteError) {
        var pointer: OpaquePointer?
        var rest = 0
        let status = unsafe Self.prepare(sql, database, &pointer, &rest)
        guard status == SQLITE_OK else { throw unsafe SQLiteError.latest(status, database, sql: sql) }
        guard let pointer = unsafe pointer else {
            throw SQLiteError.misuse("the text contains no statement", sql: sql)
        }
        guard sql.utf8.dropFirst(rest).allSatisfy({ $0 == 0x20 || $0 == 0x0a || $0 == 0x3b }) else {
            unsafe sqlite3_finalize(pointer)
            throw SQLiteError.misuse("the text contains more than one statement", sql: sql)
        }
        unsafe statement = pointer
        unsafe self.database = database
        self.sql = sql
    }

    deinit {
        unsafe sqlite3_finalize(statement)
    }

    /// Compiles the first statement of the text, and returns where the rest begins.
    private static func prepare(
        _ sql: String,
        _ database: OpaquePointer,
        _ statement: inout OpaquePointer?,
        _ rest: inout Int
    ) -> Int32 {
        var sql = sql
        return sql.withUTF8 { text in
            unsafe text.withMemoryRebound(to: CChar.self) { text in
                var tail: UnsafePointer<CChar>?
                let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
                let count = Int32(text.count)
                guard let start = text.baseAddress else { return SQLITE_OK }
                let status = unsafe sqlite3_prepare_v3(database, start, count, flags, &statement, &tail)
                unsafe rest = tail.map { unsafe $0 - start } ?? text.count
                return status
            }
        }
    }

    /// Runs the statement with `values` and lends each row to `body`, until `body` returns `false`.
    ///
    /// The values are bound without a copy. The statement is always reset before this returns: a statement
    /// left on a row holds its snapshot, and then the log can never be shortened.
    func run(_ values: [SQLiteValue], _ body: (borrowing SQLiteRow) -> Bool) throws(SQLiteError) {
        let expected = unsafe Int(sqlite3_bind_parameter_count(statement))
        guard values.count == expected else {
            throw SQLiteError.misuse("\(values.count) values for \(expected) parameters", sql: sql)
        }
        let result = bind(values, 0) { () -> Result<Void, SQLiteError> in
            defer {
                unsafe sqlite3_reset(statement)
                if expected > 0 { unsafe sqlite3_clear_bindings(statement) }
            }
            return step(body)
        }
        try result.get()
    }

    private func step(_ body: (borrowing SQLiteRow) -> Bool) -> Result<Void, SQLiteError> {
        assert(BlockingCalls.note("SQL: \(sql)"))
        while true {
            let status = unsafe sqlite3_step(statement)
            switch status {
            case SQLITE_ROW: if unsafe !body(SQLiteRow(statement)) { return .success(()) }
            case SQLITE_DONE: return .success(())
            default: return unsafe .failure(.latest(status, database, sql: sql))
            }
        }
    }

    /// Binds the values from `index` on; the memory of each stays in place until `then` has returned.
    private func bind(
        _ values: [SQLiteValue],
        _ index: Int,
        _ then: () -> Result<Void, SQLiteError>
    ) -> Result<Void, SQLiteError> {
        guard index < values.count else { return then() }
        func next() -> Result<Void, SQLiteError> { bind(values, index + 1, then) }
        let position = Int32(index + 1)
        switch values[index] {
        case .null: return check(unsafe sqlite3_bind_null(statement, position), next)
        case .integer(let number): return check(unsafe sqlite3_bind_int64(statement, position, number), next)
        case .real(let number): return check(unsafe sqlite3_bind_double(statement, position, number), next)
        case .text(let text): return bindText(text, position, next)
        case .blob(let bytes): return bindBlob(bytes, position, next)
        }
    }

    private func bindText(
        _ text: String,
        _ position: Int32,
        _ next: () -> Result<Void, SQLiteError>
    ) -> Result<Void, SQLiteError> {
        var text = text
        return text.withUTF8 { text in
            unsafe text.withMemoryRebound(to: CChar.self) { text in
                let count = UInt64(text.count)
                let encoding = UInt8(SQLITE_UTF8)
                return check(
                    unsafe sqlite3_bind_text64(
                        statement,
                        position,
                        text.baseAddress,
                        count,
                        nil,
                        encoding
                    ),
                    next
                )
            }
        }
    }

    private func bindBlob(
        _ bytes: [UInt8],
        _ position: Int32,
        _ next: () -> Result<Void, SQLiteError>
    ) -> Result<Void, SQLiteError> {
        // An empty array has no address, and a blob without one would be null.
        guard !bytes.isEmpty else { return check(unsafe sqlite3_bind_zeroblob(statement, position, 0), next) }
        return unsafe bytes.withUnsafeBytes { bytes in
            let count = UInt64(bytes.count)
            return check(unsafe sqlite3_bind_blob64(statement, position, bytes.baseAddress, count, nil), next)
        }
    }

    private func check(
        _ status: Int32,
        _ next: () -> Result<Void, SQLiteError>
    ) -> Result<Void, SQLiteError> {
        guard status == SQLITE_OK else {
            unsafe sqlite3_clear_bindings(statement)
            return unsafe .failure(.latest(status, database, sql: sql))
        }
        return next()
    }
}
