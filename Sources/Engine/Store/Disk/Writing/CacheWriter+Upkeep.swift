internal import CalotypeCore
internal import CalotypeDigests
internal import CalotypeSQLite
internal import TaskFlow

extension CacheWriter {
    /// Does a little deferred work when there is nothing else to do.
    func idle() throws(SQLiteError) {
        if scan != nil {
            try stepScan(limit: 100)
        } else if needsTidying {
            // Failing to tidy on a full disk is no reason to stop.
            do throws(SQLiteError) { needsTidying = try !index.tidy() } catch {
                if error.meansDamage { throw error }
                needsTidying = false
            }
        }
    }

    func newScan() -> FileScan {
        FileScan(
            index.folder,
            capacity: service.configuration.limit,
            entryLimit: service.configuration.entryLimit,
            recovers: index.isRecovering
        )
    }

    /// Checks up to `limit` files of a scan that has not ended.
    func stepScan(limit: Int) throws(SQLiteError) {
        guard var scan else { return }
        try step(&scan, limit: limit)
        self.scan = scan.isDone ? nil : scan
    }

    private func step(_ scan: inout FileScan, limit: Int) throws(SQLiteError) {
        let before = scan.counts.recovered
        try scan.step(index, limit: limit)
        if scan.isDone {
            try index.endRecovery()
            needsTidying = true
        }
        publishTotals()
        let (recovered, isDone) = (scan.counts.recovered - before, scan.isDone)
        service.publish {
            if isDone { $0.isRepairing = false }
            $0.recovered += recovered
        }
    }

    /// Removes the entries that readers found damaged, unless they have been replaced since.
    func remove(_ suspicions: [Suspicion]) throws(SQLiteError) {
        for suspicion in suspicions {
            guard let row = try index.row(for: suspicion.key), row.generation == suspicion.generation else {
                continue
            }
            // The file goes first: a rebuilt index would take a file alone for a value that lost its row.
            if let name = row.fileName { index.folder.removeFile(name) }
            TaskSchedule.pause("between the file and the row of a damaged entry")
            try index.transaction { () throws(SQLiteError) in try index.delete(row) }
            eviction.forget(row.key.tag)
            service.publish { $0.quarantined += 1 }
            service.notices.post(
                .damagedEntry,
                "the cache had a damaged entry and removed it (\(suspicion.reason)); there may be more"
            )
        }
        if !suspicions.isEmpty { publishTotals() }
    }

    /// Carries out a command, and replies.
    func carryOut(_ command: WriterCommand) throws(SQLiteError) {
        switch command {
        case .flush(let done): done.set(())
        case .trim(let size, let done):
            try trim(to: size)
            publishTotals()
            done.set(())
        case .scan(let done):
            var whole = newScan()
            repeat { try step(&whole, limit: 100) } while !whole.isDone
            scan = nil
            done.set(whole.counts)
        }
    }
}
