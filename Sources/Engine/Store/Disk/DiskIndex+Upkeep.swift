internal import CalotypeCore
internal import CalotypeSQLite

extension DiskIndex {
    /// Whether the log has room for more; brings it back into the database as far as readers let it.
    ///
    /// A reader of another process that stands still can keep the log from being used anew.
    func logHasRoom(_ limit: ByteCount) throws(SQLiteError) -> Bool {
        guard let length = folder.logLength, length > limit.bytes else { return true }
        // Complete, the next change begins the log anew.
        return try connection.checkpoint(.passive).isComplete
    }

    /// Brings the whole log back and cuts it to nothing, and gives up to `pageLimit` free pages back to the file system.
    ///
    /// - Returns: Whether that is all there is to do.
    func tidy(pageLimit: Int = 1024) throws(SQLiteError) -> Bool {
        try connection.execute("PRAGMA incremental_vacuum(\(pageLimit))")
        let free = try connection.first("PRAGMA freelist_count") { $0.int(0) } ?? 0
        guard try connection.checkpoint(.passive).isComplete else { return false }
        // Whoever reads now is not waited for, since changes would wait as well.
        connection.setBusyTimeout(.zero)
        defer { connection.setBusyTimeout(IndexSchema.busyTimeout) }
        return try connection.checkpoint(.truncate).isComplete && free == 0
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
