extension SQLiteConnection {
    /// When a transaction takes its locks.
    public enum TransactionKind: String, Sendable {
        /// With the first statement: for reading only, since the step from reading to writing may fail at once.
        case deferred = "BEGIN DEFERRED"
        /// At its start: for all that writes.
        case immediate = "BEGIN IMMEDIATE"
        /// At its start, and keeps readers out too, unless the database is in WAL mode.
        case exclusive = "BEGIN EXCLUSIVE"
    }

    /// Runs `body` in a transaction, which is committed when it returns and rolled back when it throws.
    ///
    /// Transactions do not nest.
    ///
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws; `busy` when the lock cannot be had; `full` and `ioError` when the commit fails,
    ///   after which nothing of the transaction is left.
    @discardableResult
    public func transaction<Output>(
        _ kind: TransactionKind,
        _ body: () throws(SQLiteError) -> Output
    ) throws(SQLiteError) -> Output {
        try run(kind.rawValue)
        do {
            let output = try body()
            try run("COMMIT")
            return output
        } catch {
            rollBack()
            throw error
        }
    }

    private func rollBack() {
        // A full disk, for one, has rolled it back already.
        guard isInTransaction else { return }
        // The error that led here is the one to tell; a rollback fails only with the connection itself.
        _ = try? run("ROLLBACK")
    }
}
