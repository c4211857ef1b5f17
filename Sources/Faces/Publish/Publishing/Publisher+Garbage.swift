internal import CalotypeFiles
internal import TaskFlow

extension Publisher {
    /// What came of the removal of one publication's leftovers.
    public struct Removal: Sendable {
        /// The publication.
        public let publication: PublicationRecord
        /// Why it failed; `nil` where nothing is left that can be removed.
        public let problem: String?
        /// The names of the media that the server has no way to remove.
        public let kept: [String]
    }

    /// Removes from servers what cancelled publications left there.
    ///
    /// A request that was cut may be carried out late. Media are therefore removed twice, with one pause of
    /// ``PublisherConfiguration/settlingTime`` for all of them, before they are said to be gone.
    ///
    /// - Parameters:
    ///   - includingUnfinished: Whether publications that could be resumed are given up too; `false` by default. One whose post may be
    ///     published is never touched, nor one that somebody works on.
    ///   - destination: Gives the server of a publication; `nil` where it cannot be reached any more.
    /// - Returns: What came of each publication that has leftovers.
    /// - Throws: `storage_failed` where the journal fails; `CancellationError`.
    public func removeLeftovers(
        includingUnfinished: Bool = false,
        at destination: (PublicationRecord) throws -> (any PublishDestination)?
    ) async throws -> [Removal] {
        var sweeps: [Sweep] = []
        let isWanted = { (record: PublicationRecord) in
            record.hasLeftovers && record.state != .posting
                && (record.state == .cancelled || includingUnfinished)
        }
        for listed in try await journal.publications() where isWanted(listed) {
            try Task.checkCancellation()
            guard let lock = try journal.lock(listed.number) else { continue }
            // Read again: before this lock was taken, another process may have gone on with it, and published it.
            guard let record = try await journal.find(listed.number), isWanted(record) else {
                continue
            }
            var sweep = Sweep(record: record, lock: lock)
            try await begin(&sweep) { try destination(record) }
            sweeps.append(sweep)
        }
        try await sweeps.lazy.compactMap(\.cleanup).first?.pause()
        var removals: [Removal] = []
        for var sweep in sweeps {
            try await finish(&sweep)
            removals.append(Removal(publication: sweep.record, problem: sweep.problem, kept: sweep.kept))
        }
        try await removeFiles()
        return removals
    }

    /// Removes the files that were made for publications that nobody can go on with.
    private func removeFiles() async throws {
        let made = try await disk.run { [journal] in FolderNames.all(in: "\(journal.folder)/files") }
        guard !made.isEmpty else { return }
        let records = Dictionary(try await journal.publications().map { ($0.id, $0) }) { first, _ in first }
        for name in made {
            let record = records[name]
            guard record.map({ !$0.isUnfinished }) ?? true else { continue }
            // One that somebody works on has its lock.
            let lock = try record.map { try journal.lock($0.number) }
            if case .some(.none) = lock { continue }
            try await disk.run { [journal] in JournalFolder.remove("\(journal.folder)/files/\(name)") }
        }
    }

    /// The removal of one publication's leftovers.
    private struct Sweep {
        let record: PublicationRecord
        let lock: PublicationLock
        var problem: String?
        var kept: [String] = []
        /// What is left to be done after the pause.
        var cleanup: Cleanup?
    }

    private func begin(
        _ sweep: inout Sweep,
        _ destination: () throws -> (any PublishDestination)?
    ) async throws {
        let record = sweep.record
        do {
            guard let destination = try destination() else {
                sweep.problem = "the destination is not known"
                return
            }
            try await journal.ended(record, .cancelled, because: record.problem)
            let cleanup = Cleanup(record, at: destination, of: self)
            sweep.kept = try await cleanup.begin()
            if cleanup.isCut { sweep.cleanup = cleanup }
        } catch {
            try Publication.checkCancellation(error)
            sweep.problem = Publication.message(error)
        }
    }

    private func finish(_ sweep: inout Sweep) async throws {
        do {
            if let cleanup = sweep.cleanup { sweep.kept += try await cleanup.finish() }
        } catch {
            try Publication.checkCancellation(error)
            sweep.problem = Publication.message(error)
        }
    }
}
