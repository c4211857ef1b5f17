internal import CalotypeCore
internal import CalotypeDigests
import CalotypeFiles
internal import CalotypePlatform
internal import CalotypeSQLite
internal import TaskFlow

extension CacheWriter {
    /// The effect of one change on the index, once its value file is written.
    private struct Step {
        let key: Digest
        var old: IndexRow?
        var draft: DiskIndex.Draft?
        var metadata: [UInt8]?
    }

    /// Writes a batch to the disk: makes room, then writes value files, then all their rows in one
    /// transaction.
    ///
    /// - Returns: Why some values were refused, if any were; all other changes are done.
    func apply(_ batch: StagedWrites.Batch) throws(SQLiteError) -> WritePause? {
        if batch.clears { try clear() }
        for group in batch.groups { try remove(group) }
        try makeRoom(for: batch.writes.reduce(0) { $0 + room(for: $1.write) })
        var pause: WritePause?
        var steps: [Step] = []
        do throws(SQLiteError) {
            for (key, write) in batch.writes {
                if let step = try prepare(key, write, &pause) { steps.append(step) }
            }
            try commit(steps)
        } catch {
            for step in steps { removeFile(of: step.draft) }
            throw error
        }
        return pause
    }

    private func clear() throws(SQLiteError) {
        index.folder.removeBlobs()
        try index.transaction { () throws(SQLiteError) in try index.deleteAll() }
        eviction.forgetAll()
    }

    private func remove(_ group: DigestGroup) throws(SQLiteError) {
        // Only a rebuilt index does not know all files, and would take them for values that lost their rows.
        if index.isRecovering { index.folder.removeBlobs(where: group.contains) }
        for range in group.ranges {
            var isDone = false
            while !isDone {
                // A short transaction each, so that the log stays short.
                let rows = try index.rows(in: range, limit: 256)
                isDone = rows.count < 256
                guard !rows.isEmpty else { break }
                for row in rows { removeFile(of: row) }
                TaskSchedule.pause("between the files and the rows of a group")
                try index.transaction { () throws(SQLiteError) in for row in rows { try index.delete(row) } }
                for row in rows { eviction.forget(row.key.tag) }
            }
        }
    }

    // MARK: Room

    private func room(for write: StagedWrite) -> Int {
        if let entry = write.entry { return size(of: entry) }
        if case .metadata(let metadata) = write { return metadata.count }
        return 0
    }

    /// Evicts before anything is written, so that the limit always holds; a little more, to avoid evicting
    /// each time.
    private func makeRoom(for bytes: Int) throws(SQLiteError) {
        let limit = service.configuration.limit.bytes
        guard index.bytes + bytes > limit else { return }
        try evict(downTo: max(limit - limit / 20 - bytes, 0), &eviction)
    }

    /// Evicts as if the whole cache had a capacity of `size`.
    func trim(to size: ByteCount) throws(SQLiteError) {
        var trimming = EvictionQueue(capacity: size, hits: service.hits)
        try evict(downTo: size.bytes, &trimming)
    }

    /// Evicts until all entries together take at most `bytes`.
    private func evict(downTo bytes: Int, _ eviction: inout EvictionQueue) throws(SQLiteError) {
        var isEmpty = false
        while index.bytes > bytes, !isEmpty {
            var removed = 0
            try index.transaction { () throws(SQLiteError) in
                var queues = index
                // A short transaction each, so that the log stays short.
                for _ in 0..<256 where index.bytes > bytes && !isEmpty {
                    switch try eviction.step(&queues) {
                    case .removed: removed += 1
                    case .moved: break
                    case .empty: isEmpty = true
                    }
                }
            }
            let count = removed
            service.publish { $0.evicted += count }
        }
    }

    // MARK: Rows

    /// Writes the value file of a change, if it needs one; `nil` for a change without effect.
    private func prepare(
        _ key: Digest,
        _ write: StagedWrite,
        _ pause: inout WritePause?
    ) throws(SQLiteError) -> Step? {
        let old = try index.row(for: key)
        switch write {
        case .store(let entry):
            guard old == nil, let draft = draft(key, entry, old, &pause) else { return nil }
            return Step(key: key, draft: draft)
        case .replace(let entry):
            let draft = draft(key, entry, old, &pause)
            // The old value is removed even without a new one.
            if draft == nil { removeUnknownFiles(of: key) }
            return Step(key: key, old: old, draft: draft)
        case .metadata(let metadata): return old.map { _ in Step(key: key, metadata: metadata) }
        case .remove:
            removeUnknownFiles(of: key)
            return old.map { Step(key: key, old: $0) }
        }
    }

    private func commit(_ steps: [Step]) throws(SQLiteError) {
        guard !steps.isEmpty else { return }
        // The file of a removed value goes first: after a crash there is too little, never too much.
        for step in steps where step.draft == nil { removeFile(of: step.old) }
        TaskSchedule.pause("between the files and the rows of a batch")
        try index.transaction { () throws(SQLiteError) in
            for step in steps {
                if let old = step.old { try index.delete(old) }
                if let draft = step.draft { try index.insert(draft) }
                if let metadata = step.metadata { try index.setMetadata(metadata, for: step.key) }
            }
        }
        TaskSchedule.pause("between the rows and the old files of a batch")
        // The file of a replaced value goes when nothing refers to it any more.
        for step in steps {
            removeFile(of: step.old)
            if step.draft == nil, step.old != nil { eviction.forget(step.key.tag) }
        }
        let stored = steps.count { $0.draft != nil }
        service.publish { $0.stores += stored }
    }
}

/// Why the disk refused values, and how long to leave it alone.
struct WritePause: Sendable {
    let reason: String
    let kind: NoticeBoard.Kind
    let rest: Duration

    /// A value file could not be written.
    init(_ error: SystemError) {
        (reason, kind, rest) = (error.description, .refused, .seconds(30))
    }

    /// The index could not be written.
    init(_ error: SQLiteError) {
        (reason, kind, rest) = (error.message, .refused, .seconds(30))
    }

    private init(reason: String, kind: NoticeBoard.Kind, rest: Duration) {
        (self.reason, self.kind, self.rest) = (reason, kind, rest)
    }

    /// The log is full, and a reader still uses it.
    static let logHeld = WritePause(
        reason: "a reader in another process prevents the log of the index from being reused",
        kind: .logHeld,
        rest: .seconds(1)
    )
}
