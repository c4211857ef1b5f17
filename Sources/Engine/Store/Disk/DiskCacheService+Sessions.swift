internal import CalotypeCore
internal import CalotypeDigests
import CalotypeFiles
internal import CalotypeSQLite
internal import TaskFlow

extension DiskCacheService {
    /// Uses the folder until the session ends.
    func session() async -> SessionEnd {
        do throws(SystemError) {
            if configuration.isReadOnly {
                return await readSession(try CacheFolder(opening: configuration.folder), tries: 1)
            }
            let folder = try CacheFolder(creating: configuration.folder)
            guard let lock = try OwnerLock.take(in: folder.root) else {
                notices.post(.notOwner, "another process is using the cache; opened read-only")
                // The other process may have started just now.
                return await readSession(folder, tries: 20)
            }
            let end = await writeSession(folder)
            // Released before the folder is read without it, or tried again.
            withExtendedLifetime(consume lock) {}
            guard case .unwritable(let reason) = end else { return end }
            notices.post(.notOwner, "the cache cannot be written: \(reason); opened read-only")
            publish { $0.unwritable = reason }
            // Removals are remembered until they can be written.
            return await readSession(folder, tries: 1, accepting: .removals)
        } catch {
            return .unusable(error.description)
        }
    }

    // MARK: The owner's

    private func writeSession(_ folder: CacheFolder) async -> SessionEnd {
        let index: DiskIndex
        do throws(SQLiteError) { index = try openIndex(folder) } catch {
            let isNewer = error == .newerVersion
            publish { $0.isNewer = isNewer }
            return isNewer ? .unusable(error.message) : .unwritable(error.message)
        }
        publish { counts in
            counts.isNewer = false
            counts.unwritable = nil
        }
        let writer = CacheWriter(index, self)
        writer.publishTotals()
        notices.clear(.unusable)
        notices.clear(.notOwner)
        open(.owner, accepting: .everything)
        let end = await withReaders(folder) { await writer.run() }
        switch end {
        case .ended: writer.close()
        case .damaged(let reason):
            index.abandon()
            setAside(folder, reason)
        case .vanished, .unusable, .unwritable, .lookAgain: index.abandon()
        }
        return end
    }

    /// Opens the index; sets a damaged or older one aside, and creates a new one.
    private func openIndex(_ folder: CacheFolder) throws(SQLiteError) -> DiskIndex {
        do throws(SQLiteError) {
            return try DiskIndex(folder, milliseconds: milliseconds(), logLimit: configuration.logLimit)
        } catch {
            guard error.meansDamage else { throw error }
            setAside(folder, error.message)
            return try DiskIndex(folder, milliseconds: milliseconds(), logLimit: configuration.logLimit)
        }
    }

    private func setAside(_ folder: CacheFolder, _ reason: String) {
        notices.post(.damagedIndex, "the index of the cache is damaged and was set aside: \(reason)")
        folder.setIndexAside(seconds: milliseconds() / 1000)
    }

    // MARK: A reader's

    private func readSession(
        _ folder: CacheFolder,
        tries: Int,
        accepting acceptance: StagedWrites.Acceptance = .nothing
    ) async -> SessionEnd {
        if let failure = await readTotals(folder, tries) { return .unusable(failure) }
        let identity = folder.indexIdentity
        mailbox.change { staged in
            if acceptance == .nothing { staged.forgetAll() } else { staged.dropWaitingValues() }
        }
        open(.reader, accepting: acceptance)
        return await withReaders(folder) {
            while !mailbox.isEnding {
                if let damage = await waitForEnd(atMost: Self.retryDelay) { return .unusable(damage) }
                if folder.indexIdentity != identity || isFree(folder) { return .lookAgain }
            }
            return .ended
        }
    }

    /// Reads the index's totals, and retries for as long as an owner may need to create it.
    ///
    /// - Returns: Why they cannot be read; `nil` on success.
    private func readTotals(_ folder: CacheFolder, _ tries: Int) async -> String? {
        var tries = tries
        while true {
            do throws(SQLiteError) {
                let total = try IndexReader(folder, limit: configuration.entryLimit).totals()
                publish {
                    $0.entries = total.count
                    $0.bytes = ByteCount(total.bytes)
                }
                return nil
            } catch {
                tries -= 1
                let isNewer = error == .newerVersion
                publish { $0.isNewer = isNewer }
                if isNewer || tries == 0 || mailbox.isEnding { return error.message }
                _ = await waitForEnd(atMost: .milliseconds(50))
            }
        }
    }

    /// Whether the owner has gone, and this cache may take its place.
    private func isFree(_ folder: CacheFolder) -> Bool {
        guard !configuration.isReadOnly else { return false }
        do throws(SystemError) { return try !OwnerLock.isTaken(in: folder.root) } catch { return false }
    }

    // MARK: Readers

    /// Runs `body` while readers serve look-ups, and returns when they have closed the index.
    private func withReaders(_ folder: CacheFolder, _ body: () async -> SessionEnd) async -> SessionEnd {
        let round = reads.beginRound()
        return await withTaskGroup(of: Void.self) { group in
            for _ in 0..<max(configuration.readers, 1) {
                group.addTask { await self.read(folder, round) }
            }
            let end = await body()
            reads.endRound()
            await group.waitForAll()
            return end
        }
    }

    private func read(_ folder: CacheFolder, _ round: Int) async {
        var reader: IndexReader?
        while let job = await reads.next(in: round) {
            if reader == nil { reader = openReader(folder) }
            job(reader)
        }
    }

    private func openReader(_ folder: CacheFolder) -> IndexReader? {
        do throws(SQLiteError) {
            return try IndexReader(folder, limit: configuration.entryLimit)
        } catch {
            // For example without descriptors: the next look-up tries again.
            if error.meansDamage { mailbox.reportDamage(error.message) }
            return nil
        }
    }

    // MARK: Look-ups

    /// The entry for `key`, staged or on the disk, looked up on a reader's thread.
    func find(_ key: Digest, _ reader: IndexReader?) -> StoredEntry? {
        while true {
            let staged = mailbox.look { $0.lookup(key) }
            switch staged {
            case .entry(let entry): return entry
            case .absent: return nil
            case .onDisk(let metadata):
                TaskSchedule.pause("between what is staged and the disk")
                let entry = lookUp(key, reader).entry(with: metadata)
                // Another entry may have been written meanwhile, to which the metadata does not belong.
                if metadata == nil || mailbox.look({ $0.lookup(key) }) == staged { return entry }
            }
        }
    }

    /// Counts a look-up of `key` that has found `entry`.
    func count(_ entry: StoredEntry?, of key: Digest) {
        if entry != nil { hits.add(key.tag) }
        publish { counts in
            if entry == nil { counts.misses += 1 } else { counts.hits += 1 }
        }
    }

    /// Looks a value up on a reader's thread, and reports damage to the writer.
    func lookUp(_ key: Digest, _ reader: IndexReader?) -> IndexReader.Outcome {
        guard let reader else { return .absent }
        do throws(SQLiteError) {
            let outcome = try reader.lookUp(key)
            if case .damaged(let suspicion) = outcome { mailbox.suspect(suspicion) }
            return outcome
        } catch {
            if error.meansDamage { mailbox.reportDamage(error.message) }
            return .absent
        }
    }
}

/// Why a cache released its index.
enum SessionEnd: Sendable {
    /// The scope ended.
    case ended
    /// The index is damaged: it is set aside, and a new one is created.
    case damaged(String)
    /// The index was removed or moved.
    case vanished
    /// The folder cannot be used for now.
    case unusable(String)
    /// The index can at most be read.
    case unwritable(String)
    /// It is time to check again who owns the folder.
    case lookAgain
}
