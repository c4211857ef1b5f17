internal import SQLiteConnection

extension DiskIndex {
    /// Whether the log has room for more; brings it back into the database as far as readers let it.
    ///
    /// A reader of another process that stands still can keep the log from being used anew.
    func logHasRoom() throws(SQLiteError) -> Bool {
        let checkpoint = try connection.checkpoint(.passive)
        return checkpoint.isComplete || checkpoint.logPages * IndexSchema.pageSize < IndexSchema.logLimit
    }

    /// Brings the whole log back and cuts it to nothing, and gives free pages back to the file system.
    ///
    /// - Parameter pageLimit: How many pages at once, since each of them is moved.
    func tidy(pageLimit: Int = 256) throws(SQLiteError) {
        try connection.execute("PRAGMA incremental_vacuum(\(pageLimit))")
        _ = try connection.checkpoint(.truncate)
    }

    /// Closes the index, with a note how it is left.
    func close(_ condition: IndexCondition) throws(SQLiteError) {
        try connection.run("UPDATE state SET condition = ?", .int(condition.rawValue))
        try connection.close()
    }

    /// Lets go of an index that is damaged or no longer where it was, without touching the files of that name.
    func abandon() {
        connection.abandon()
    }
}
