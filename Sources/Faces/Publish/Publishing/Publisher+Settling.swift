internal import CalotypeCore
public import CalotypeHTTP
internal import TaskFlow

/// What a person found on a server when looking for a post whose response was lost.
public enum PostFinding: Hashable, Sendable {
    /// The post is there; the URL is `nil` if it is unknown.
    case published(at: WebURL?)
    /// The post is not there.
    case notPublished
}

extension Publisher {
    /// Records whether a post is published, after a person looked for it on the server.
    ///
    /// Use it for servers that cannot be queried, where each resume ends with `outcome_unknown`. Nothing is
    /// sent. A post that is not published can then be resumed, and the server still has its media. A post
    /// that is published is never sent again unless the caller requests it.
    ///
    /// - Parameters:
    ///   - id: The publication's key, or a prefix of it that no other publication has.
    ///   - finding: What the person found. If it is wrong, the post appears twice, or never.
    /// - Returns: The journal's new record of the publication.
    /// - Throws: `invalid_request` if there is no such publication, or more than one; `outcome_known` unless
    ///   the post was sent and the response was lost; `publish_busy` while another process works on it;
    ///   `storage_failed` if the journal fails.
    public func settle(_ id: String, _ finding: PostFinding) async throws -> PublicationRecord {
        let number = try Self.only(id, in: await journal.publications()).number
        guard let lock = try journal.lock(number) else {
            throw CalotypeError(
                .publishBusy,
                "another process is publishing this post; wait until it ends",
                stage: .request
            )
        }
        // Read the record only now: before we took this lock, another process may have settled it.
        let record = try await journal.publication(number)
        try record.checkUnknown()
        try await journal.settled(record, finding)
        let settled = try await journal.publication(number)
        withExtendedLifetime(lock) {}
        if !settled.isUnfinished {
            // The files that a resume would have sent are no longer needed.
            try await disk.run { [journal] in JournalFolder.remove(journal.files(of: settled)) }
        }
        return settled
    }

    private static func only(
        _ id: String,
        in records: [PublicationRecord]
    ) throws(CalotypeError) -> PublicationRecord {
        let found = records.filter { !id.isEmpty && $0.id.hasPrefix(id.lowercased()) }
        guard let record = found.first, found.count == 1 else {
            let message =
                found.isEmpty
                ? "the journal has no publication \(id)"
                : "the journal has \(found.count) publications whose ID begins with \(id); enter more of it"
            throw CalotypeError(.invalidRequest, message, stage: .request)
        }
        return record
    }
}

extension PublicationRecord {
    /// Throws `outcome_known` unless the post was sent and its outcome is unknown.
    fileprivate func checkUnknown() throws(CalotypeError) {
        let known =
            switch state {
            case .posting: nil as String?
            case .posted: "it is published" + (result?.url.map { " as \($0)" } ?? "")
            case .collecting, .failed: "its post was not sent; resume it, or publish it again"
            case .cancelled: "it was cancelled before its post was sent"
            }
        guard let known else { return }
        throw CalotypeError(
            .outcomeKnown,
            "the outcome is known: \(known)",
            stage: .request
        )
    }
}
