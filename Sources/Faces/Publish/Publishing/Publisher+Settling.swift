internal import CalotypeCore
public import CalotypeHTTP
internal import TaskFlow

/// What a person found who looked at a server for a post whose answer was lost.
public enum PostFinding: Hashable, Sendable {
    /// The post is there; where it can be seen, if that is known.
    case published(at: WebURL?)
    /// The post is not there.
    case notPublished
}

extension Publisher {
    /// Writes down whether a post is published that is not known to be, as somebody found who looked at the server.
    ///
    /// It is for servers that cannot be asked, where each resume ends with `outcome_unknown`. Nothing is sent. A post that is not
    /// published can then be resumed, and its media are at the server still; one that is published is never sent again unless that
    /// is asked for.
    ///
    /// - Parameters:
    ///   - id: The publication's key, or a beginning of it that no other publication has.
    ///   - finding: What was found. Where it is wrong, the post appears twice, or never.
    /// - Returns: What the journal has of the publication now.
    /// - Throws: `invalid_request` where there is no such publication, or more than one; `outcome_known` for all but those whose
    ///   post was sent and not answered; `publish_busy` while somebody works on it; `storage_failed` where the journal fails.
    public func settle(_ id: String, _ finding: PostFinding) async throws -> PublicationRecord {
        let number = try Self.only(id, in: await journal.publications()).number
        guard let lock = try journal.lock(number) else {
            throw CalotypeError(
                .publishBusy,
                "a process is publishing this post; wait for its end",
                stage: .request
            )
        }
        // Read only now: before this lock was taken, another process may have settled it.
        let record = try await journal.publication(number)
        try record.checkUnknown()
        try await journal.settled(record, finding)
        let settled = try await journal.publication(number)
        withExtendedLifetime(lock) {}
        if !settled.isUnfinished {
            // What a resume would have sent is of no use any more.
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
                : "the journal has \(found.count) publications whose key begins with \(id); give more of it"
            throw CalotypeError(.invalidRequest, message, stage: .request)
        }
        return record
    }
}

extension PublicationRecord {
    /// Throws `outcome_known` unless the post was sent, and what became of it is not known.
    fileprivate func checkUnknown() throws(CalotypeError) {
        let known =
            switch state {
            case .posting: nil as String?
            case .posted: "it is published" + (result?.url.map { " as \($0)" } ?? "")
            case .collecting, .failed: "its post was not sent; resume it, or publish it anew"
            case .cancelled: "it was cancelled before its post was sent"
            }
        guard let known else { return }
        throw CalotypeError(
            .outcomeKnown,
            "what became of the publication is known: \(known)",
            stage: .request
        )
    }
}
