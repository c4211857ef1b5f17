internal import CalotypeCore
internal import CalotypeHTTP
internal import CalotypeSQLite

/// The journal's tables, accessed through one connection.
final class JournalDatabase {
    private static let columns =
        "number, id, fingerprint, destination, note, text, state, created, sent, remembered, result, problem"
    private static let itemColumns =
        "position, name, origin, type, path, size, modified, sha256, md5, remembered, uploaded"

    private let connection: SQLiteConnection

    init(_ path: String) throws {
        connection = try JournalSchema.open(path)
    }

    /// Runs `body` in one transaction.
    func writing<Output>(
        _ body: (JournalDatabase) throws(SQLiteError) -> Output
    ) throws(SQLiteError) -> Output {
        try connection.transaction(.immediate) { () throws(SQLiteError) in try body(self) }
    }

    // MARK: Reading

    /// Returns the newest publications with their media; at most `limit`.
    func newest(_ limit: Int) throws(SQLiteError) -> [PublicationRecord] {
        let sql = "SELECT \(Self.columns) FROM publication ORDER BY number DESC LIMIT ?"
        return try withItems(connection.all(sql, .int(limit)) { Self.publication($0) })
    }

    func publication(_ number: Int64) throws(SQLiteError) -> PublicationRecord? {
        let sql = "SELECT \(Self.columns) FROM publication WHERE number = ?"
        return try withItems(connection.all(sql, .integer(number)) { Self.publication($0) }).first
    }

    /// Returns the publications of a post to a destination, the newest first.
    func publications(_ post: PostIdentity) throws(SQLiteError) -> [PublicationRecord] {
        let sql = """
            SELECT \(Self.columns) FROM publication WHERE fingerprint IN (?, ?)
            ORDER BY number DESC LIMIT 100
            """
        return try withItems(
            connection.all(sql, .text(post.fingerprint), .text(post.earlier)) { Self.publication($0) }
        )
    }

    /// Returns the publications of this text, the newest first.
    func publications(ofText text: String) throws(SQLiteError) -> [PublicationRecord] {
        let sql = "SELECT \(Self.columns) FROM publication WHERE text = ? ORDER BY number DESC LIMIT 100"
        return try withItems(connection.all(sql, .text(text)) { Self.publication($0) })
    }

    private func withItems(_ records: [PublicationRecord]) throws(SQLiteError) -> [PublicationRecord] {
        let sql = "SELECT \(Self.itemColumns) FROM item WHERE publication = ? ORDER BY position"
        var whole: [PublicationRecord] = []
        for var record in records {
            record.items = try connection.all(sql, .integer(record.number)) { Self.item($0) }
            whole.append(record)
        }
        return whole
    }

    // MARK: Writing

    func insert(_ new: NewPublication, at created: WallTime) throws(SQLiteError) -> Int64 {
        try connection.run(
            """
            INSERT INTO publication(id, fingerprint, destination, note, text, state, created)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            .text(new.id),
            .text(new.identity.fingerprint),
            .text(new.destination),
            .text(new.note),
            .text(new.text),
            .text(PublicationState.collecting.rawValue),
            .int(created.secondsSince1970)
        )
        let number = connection.lastInsertedID
        for (position, item) in new.items.enumerated() {
            try connection.run(
                "INSERT INTO item(publication, position, name, origin) VALUES (?, ?, ?, ?)",
                .integer(number),
                .int(position),
                .text(item.name),
                .text(item.origin)
            )
        }
        return number
    }

    func setFile(
        _ file: SourceFile,
        name: String,
        type: MediaType,
        of item: Int,
        in number: Int64
    ) throws(SQLiteError) {
        try connection.run(
            """
            UPDATE item SET path = ?, size = ?, modified = ?, sha256 = ?, md5 = ?, type = ?, name = ?
            WHERE publication = ? AND position = ?
            """,
            .text(file.path),
            .int(file.size.bytes),
            .integer(file.modified),
            .text(file.sha256),
            .text(file.md5),
            .text(type.name),
            .text(name),
            .integer(number),
            .int(item)
        )
    }

    func remember(_ state: RememberedState, of item: Int, in number: Int64) throws(SQLiteError) {
        try connection.run(
            "UPDATE item SET remembered = ? WHERE publication = ? AND position = ?",
            .text(state.json),
            .integer(number),
            .int(item)
        )
    }

    func setUploaded(_ medium: UploadedMedium?, of item: Int, in number: Int64) throws(SQLiteError) {
        try connection.run(
            "UPDATE item SET uploaded = ? WHERE publication = ? AND position = ?",
            .text(medium.flatMap(Self.json)),
            .integer(number),
            .int(item)
        )
    }

    func rememberPost(_ state: RememberedState, in number: Int64) throws(SQLiteError) {
        try connection.run(
            "UPDATE publication SET remembered = ? WHERE number = ?",
            .text(state.json),
            .integer(number)
        )
    }

    /// Records when the post may first have been sent.
    ///
    /// `nil` records that it was not sent.
    func setSent(_ moment: WallTime?, in number: Int64) throws(SQLiteError) {
        if let moment {
            try connection.run(
                "UPDATE publication SET sent = ?, state = ? WHERE number = ? AND sent IS NULL",
                .int(moment.secondsSince1970),
                .text(PublicationState.posting.rawValue),
                .integer(number)
            )
        } else {
            try connection.run(
                "UPDATE publication SET sent = NULL, state = ? WHERE number = ?",
                .text(PublicationState.collecting.rawValue),
                .integer(number)
            )
        }
    }

    func setState(_ state: PublicationState, problem: String?, in number: Int64) throws(SQLiteError) {
        try connection.run(
            "UPDATE publication SET state = ?, problem = ? WHERE number = ?",
            .text(state.rawValue),
            .text(problem),
            .integer(number)
        )
    }

    func setPosted(_ post: PublishedPost, in number: Int64) throws(SQLiteError) {
        try connection.run(
            "UPDATE publication SET state = ?, result = ?, problem = NULL WHERE number = ?",
            .text(PublicationState.posted.rawValue),
            .text(Self.json(post)),
            .integer(number)
        )
    }

    /// Deletes all but the newest `count` publications, except those that may have data on a server.
    func prune(keeping count: Int) throws(SQLiteError) {
        try connection.run(
            """
            DELETE FROM publication WHERE number <= (SELECT max(number) FROM publication) - ?
            AND (state = 'posted' OR (state <> 'posting' AND remembered IS NULL AND NOT EXISTS (
              SELECT 1 FROM item WHERE publication = publication.number
              AND (uploaded IS NOT NULL OR item.remembered IS NOT NULL))))
            """,
            .int(count)
        )
    }

    // MARK: Rows

    private static func publication(_ row: borrowing SQLiteRow) -> PublicationRecord {
        PublicationRecord(
            number: row.integer(0),
            id: row.text(1),
            fingerprint: row.text(2),
            destination: row.text(3),
            note: optional(row, 4),
            text: row.text(5),
            state: PublicationState(rawValue: row.text(6)) ?? .failed,
            created: WallTime(secondsSince1970: row.int(7)),
            sent: row.isNull(8) ? nil : WallTime(secondsSince1970: row.int(8)),
            remembered: RememberedState(json: optional(row, 9)),
            result: optional(row, 10).flatMap { value(PublishedPost.self, $0) },
            problem: optional(row, 11),
            items: []
        )
    }

    private static func item(_ row: borrowing SQLiteRow) -> ItemRecord {
        ItemRecord(
            position: row.int(0),
            name: row.text(1),
            origin: row.text(2),
            file: row.isNull(4) ? nil : file(row),
            type: optional(row, 3).map { MediaType($0) },
            remembered: RememberedState(json: optional(row, 9)),
            uploaded: optional(row, 10).flatMap { value(UploadedMedium.self, $0) }
        )
    }

    private static func file(_ row: borrowing SQLiteRow) -> SourceFile {
        SourceFile(
            path: row.text(4),
            size: ByteCount(row.int(5)),
            modified: row.integer(6),
            sha256: row.text(7),
            md5: optional(row, 8)
        )
    }

    private static func optional(_ row: borrowing SQLiteRow, _ column: Int) -> String? {
        row.isNull(column) ? nil : row.text(column)
    }

    private static func value<Value: Decodable>(_ type: Value.Type, _ json: String) -> Value? {
        RememberedState(json: json).value(type)
    }

    private static func json(_ value: some Encodable) -> String? {
        // The value has only strings and numbers, which can always be encoded.
        (try? RememberedState(value))?.json
    }
}
