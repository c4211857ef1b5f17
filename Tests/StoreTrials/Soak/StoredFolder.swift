package import CalotypeCore
internal import CalotypePlatform
package import CalotypeSQLite
internal import FoundationEssentials

/// The folder of a cache that nobody has open, as it lies on the disk.
package struct StoredFolder {
    private let path: String
    private let index: SQLiteConnection

    package init(_ path: String) throws(SQLiteError) {
        self.path = path
        index = try SQLiteConnection(path: path + "/index.db", .readOnly)
    }

    /// The bytes of all value files.
    package var fileBytes: Int {
        get throws { try files().reduce(0) { $0 + $1.bytes } }
    }

    /// The bytes of the index and its log.
    package static func indexBytes(_ path: String) -> Int {
        ["index.db", "index.db-wal", "index.db-shm"].reduce(0) { $0 + (size("\(path)/\($1)") ?? 0) }
    }

    /// Compares the totals with the rows, and the files with both.
    ///
    /// - Throws: ``SoakFailure`` for a difference.
    package func check(limit: ByteCount, isThorough: Bool) throws {
        let sql =
            "SELECT count, bytes, (SELECT count(*) FROM entry WHERE segment = total.segment),"
            + " (SELECT ifnull(sum(size), 0) FROM entry WHERE segment = total.segment) FROM total"
        for total in try index.all(sql, read: { [$0.int(0), $0.int(1), $0.int(2), $0.int(3)] }) {
            guard total[0] == total[2], total[1] == total[3] else {
                throw SoakFailure("wrong totals: \(total)")
            }
        }
        let inline = "SELECT ifnull(sum(size), 0) FROM entry WHERE bytes IS NOT NULL"
        let bytes = try index.first(inline) { $0.int(0) } ?? 0
        let all = try fileBytes + bytes
        guard all <= limit.bytes + limit.bytes / 50 else { throw SoakFailure("\(all) bytes are on the disk") }
        if isThorough { try checkFiles() }
    }

    /// Compares the names of the files with the rows.
    private func checkFiles() throws {
        let rows = try index.all("SELECT lower(hex(key)), generation FROM entry WHERE bytes IS NULL") {
            "\($0.text(0)).\($0.integer(1))"
        }
        let names = try files().map(\.name)
        guard Set(rows) == Set(names) else {
            throw SoakFailure("\(names.count) files for \(rows.count) rows")
        }
    }

    private func files() throws -> [(name: String, bytes: Int)] {
        let blobs = path + "/blobs"
        guard FileManager.default.fileExists(atPath: blobs) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: blobs).flatMap { folder in
            try FileManager.default.contentsOfDirectory(atPath: "\(blobs)/\(folder)").map { name in
                (name, Self.size("\(blobs)/\(folder)/\(name)") ?? 0)
            }
        }
    }

    private static func size(_ path: String) -> Int? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? Int(status.st_size) : nil
    }
}
