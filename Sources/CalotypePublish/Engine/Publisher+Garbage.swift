internal import SQLiteConnection
internal import TaskFlow

extension Publisher {
    /// What came of the removal of one publication's leftovers.
    public struct Removal: Sendable {
        /// The publication.
        public let publication: PublicationRecord
        /// Why it failed; `nil` where nothing is left.
        public let problem: String?
    }

    /// Removes from servers what cancelled publications left there.
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
        var removals: [Removal] = []
        let isWanted = { (record: PublicationRecord) in
            record.hasLeftovers && record.state != .posting
                && (record.state == .cancelled || includingUnfinished)
        }
        for listed in try await journal.publications() where isWanted(listed) {
            try Task.checkCancellation()
            guard let lock = try journal.lock(listed.number) else { continue }
            // Read anew: until the lock was had, somebody may have gone on with it, and published it.
            guard let record = try await journal.publication(listed.number), isWanted(record) else {
                continue
            }
            let problem = try await problem(in: record) { try destination(record) }
            withExtendedLifetime(lock) {}
            removals.append(Removal(publication: record, problem: problem))
        }
        try await removeFiles()
        return removals
    }

    /// Removes the files that were made for publications that nobody can go on with.
    private func removeFiles() async throws {
        let made = try await disk.run { [journal] in JournalFolder.names(in: "\(journal.folder)/files") }
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

    private func problem(
        in record: PublicationRecord,
        _ destination: () throws -> (any PublishDestination)?
    ) async throws -> String? {
        do {
            guard let destination = try destination() else { return "the destination is not known" }
            try await journal.write(.state) { database throws(SQLiteError) in
                try database.setState(.cancelled, problem: record.problem, in: record.number)
            }
            try await Cleanup(record.number, at: destination, of: self).run()
            return nil
        } catch {
            try Publication.checkCancellation(error)
            return Publication.message(error)
        }
    }
}
