internal import CalotypeCore
internal import CalotypeSQLite
internal import CalotypeStore

/// From nothing to the first hit in a cache of a million small entries.
enum OpenBenchmark {
    private static let entries = 1_000_000
    private static let rounds = 5

    static func run() async throws {
        let folder = try TrialFolder("million")
        var configuration = DiskCacheConfiguration(folder: folder.path)
        configuration.limit = .mebibytes(10_240)
        let key = BenchmarkValue.key(0)
        let entry = StoredEntry(
            metadata: [UInt8](repeating: 1, count: 100),
            bytes: [UInt8](repeating: 2, count: 200)
        )
        try await withDiskCache(configuration) { cache in
            _ = try await cache.store(entry, for: key)
            try await cache.flush()
        }
        try fill(folder.path)
        var (opened, found): ([Duration], [Duration]) = ([], [])
        for _ in 0..<rounds {
            let start = ContinuousClock.now
            try await withDiskCache(configuration) { cache in
                opened.append(start.duration(to: .now))
                let value = try await cache.value(for: key)
                found.append(start.duration(to: .now))
                precondition(value == entry && cache.snapshot.entries == entries, "\(cache.snapshot)")
            }
        }
        (opened, found) = (opened.sorted(), found.sorted())
        Figures.line("open", Figures.milliseconds(opened[rounds / 2]), goal: "at most 300 ms")
        Figures.line(
            "open, to the first hit",
            Figures.milliseconds(found[rounds / 2]),
            goal: "at most 300 ms"
        )
        Figures.line("worst of \(rounds)", Figures.milliseconds(found[rounds - 1]), goal: "at most 300 ms")
        Figures.line("index", Figures.megabytes(StoredFolder.indexBytes(folder.path)))
    }

    /// Copies the one row a million times under random keys: only that one will be asked for.
    private static func fill(_ path: String) throws {
        let connection = try SQLiteConnection(path: path + "/index.db")
        try connection.transaction(.immediate) { () throws(SQLiteError) in
            try connection.run(
                """
                WITH RECURSIVE number(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM number LIMIT ?)
                INSERT INTO entry(key, segment, seq, size, generation, created, crc, metadata, bytes)
                SELECT randomblob(32), segment, seq + value, size, generation, created, crc, metadata, bytes
                FROM number, (SELECT * FROM entry)
                """,
                .int(entries - 1)
            )
            try connection.run(
                "UPDATE total SET count = count * ?, bytes = bytes * ?",
                .int(entries),
                .int(entries)
            )
        }
        try connection.close()
    }
}
