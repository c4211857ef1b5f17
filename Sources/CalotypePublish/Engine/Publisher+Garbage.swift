internal import SQLiteConnection

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
        for record in try await journal.publications() where record.hasLeftovers && record.state != .posting {
            try Task.checkCancellation()
            guard record.state == .cancelled || includingUnfinished else { continue }
            guard let lock = try journal.lock(record.number) else { continue }
            let problem = try await problem(in: record) { try destination(record) }
            withExtendedLifetime(lock) {}
            removals.append(Removal(publication: record, problem: problem))
        }
        return removals
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
