internal import CalotypeFiles
internal import TaskFlow

extension Publisher {
    /// The result of removing one publication's leftovers.
    public struct Removal: Sendable {
        /// The publication.
        public let publication: PublicationRecord
        /// Why the removal failed; `nil` if nothing is left that can be removed.
        public let problem: String?
        /// The names of the media that the server has no way to remove.
        public let kept: [String]
    }

    /// Removes what cancelled publications left on servers.
    ///
    /// A server may carry out a request late, after it was cut off. The method therefore removes media twice,
    /// with one pause of ``PublisherConfiguration/settlingTime`` for all of them, before it reports them as
    /// removed.
    ///
    /// - Parameters:
    ///   - includingUnfinished: Whether to abandon and remove publications that could be resumed, too;
    ///     `false` by default. A publication whose post may be published is never touched, nor one that
    ///     another process works on.
    ///   - destination: Returns the server of a publication; `nil` if it can no longer be reached.
    /// - Returns: The result for each publication that has leftovers.
    /// - Throws: `storage_failed` if the journal fails; `CancellationError`.
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
            // Read the record again: before we took this lock, another process may have resumed and published
            // it.
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

    /// Removes the files of publications that can no longer be resumed.
    private func removeFiles() async throws {
        let made = try await disk.run { [journal] in FolderNames.all(in: "\(journal.folder)/files") }
        guard !made.isEmpty else { return }
        let records = Dictionary(try await journal.publications().map { ($0.id, $0) }) { first, _ in first }
        for name in made {
            let record = records[name]
            guard record.map({ !$0.isUnfinished }) ?? true else { continue }
            // A publication that another process works on is locked.
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
        /// What remains to be done after the pause.
        var cleanup: Cleanup?
    }

    private func begin(
        _ sweep: inout Sweep,
        _ destination: () throws -> (any PublishDestination)?
    ) async throws {
        let record = sweep.record
        do {
            guard let destination = try destination() else {
                sweep.problem = "the destination is unknown"
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
