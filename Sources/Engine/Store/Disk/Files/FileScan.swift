internal import CalotypeCore
internal import CalotypeDigests
internal import CalotypeSQLite

/// Reconciles value files with the index in small steps, after a crash or when the index was rebuilt.
///
/// A file whose value is in the index stays; a file that an entry has replaced is removed. A file without an
/// entry gets a new one from its header if the index was rebuilt; otherwise it is removed, because its entry
/// was replaced, removed, or not yet inserted before a crash. A step runs between two batches of the writer,
/// when no file is being written.
struct FileScan {
    private(set) var counts = ScanCounts()
    private(set) var isDone = false
    private var folders: [String]
    private var names: [String] = []
    private let capacity: Int
    private let entryLimit: ByteCount
    private let recovers: Bool

    init(_ folder: CacheFolder, capacity: ByteCount, entryLimit: ByteCount, recovers: Bool) {
        folders = folder.blobFolders()
        isDone = folders.isEmpty
        self.capacity = capacity.bytes
        self.entryLimit = entryLimit
        self.recovers = recovers
    }

    /// Checks up to `limit` files.
    mutating func step(_ index: DiskIndex, limit: Int) throws(SQLiteError) {
        for _ in 0..<limit {
            guard let name = next(index.folder) else { return isDone = true }
            try compare(name, index)
        }
    }

    private mutating func next(_ folder: CacheFolder) -> String? {
        while names.isEmpty {
            guard let next = folders.popLast() else { return nil }
            names = folder.names(in: next).map { "\(next)/\($0)" }
        }
        return names.popLast()
    }

    private mutating func compare(_ name: String, _ index: DiskIndex) throws(SQLiteError) {
        let base = name.split(separator: "/").last.map(String.init) ?? name
        guard let (key, generation) = CacheFolder.parse(base), CacheFolder.blobName(key, generation) == name
        else {
            return remove(name, index)
        }
        let row = try index.row(for: key)
        if let row, row.generation == generation, !row.isInline {
            counts.known += 1
        } else if !recovers || row.map({ $0.generation >= generation }) == true {
            remove(name, index)
        } else {
            try recover(name, key, generation, in: index, replacing: row)
        }
    }

    private mutating func remove(_ name: String, _ index: DiskIndex) {
        index.folder.removeFile(name)
        counts.removed += 1
    }

    private mutating func recover(
        _ name: String,
        _ key: Digest,
        _ generation: Int64,
        in index: DiskIndex,
        replacing old: IndexRow?
    ) throws(SQLiteError) {
        let head = read(name, index.folder)
        guard let (header, metadata) = head, header.key == key, index.bytes + header.fileLength <= capacity
        else {
            return remove(name, index)
        }
        try index.transaction { () throws(SQLiteError) in
            if let old { try index.delete(old) }
            try index.insert(
                DiskIndex.Draft(
                    key: key,
                    segment: old?.segment ?? .small,
                    size: header.fileLength,
                    generation: generation,
                    createdMilliseconds: header.createdMilliseconds,
                    metadata: metadata,
                    bytes: nil
                )
            )
        }
        if let file = old?.fileName { index.folder.removeFile(file) }
        counts.recovered += 1
    }

    /// Reads the head of a value file, if it is good.
    private func read(_ name: String, _ folder: CacheFolder) -> (BlobHeader, [UInt8])? {
        // A file that cannot be read is useless, whatever the reason; its value can be loaded again.
        try? BlobFile.readHead(name, in: folder.root, limit: entryLimit)
    }
}
