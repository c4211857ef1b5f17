internal import CalotypeCore
internal import FoundationEssentials

/// The journal's publications of a post, and the decision that follows from them.
struct KnownPublications {
    /// The decision.
    enum Choice: Sendable {
        /// Begin a new publication.
        case begin
        /// Continue the publication with this number.
        case goOn(Int64)
        /// Refuse to publish.
        case refuse(CalotypeError)
    }

    private let known: [PublicationRecord]
    private let similar: [PublicationRecord]
    private let new: NewPublication

    /// - Parameters:
    ///   - known: The publications of the same post to the same destination, the newest first.
    ///   - similar: Publications of the same text, the newest first.
    ///   - new: The publication that would begin.
    init(_ known: [PublicationRecord], similar: [PublicationRecord] = [], _ new: NewPublication) {
        self.known = known
        self.similar = similar
        self.new = new
    }

    func choice(_ repetition: Repetition) -> Choice {
        // The newest one decides: a later publication of the post makes an unfinished one irrelevant.
        let newest = known.first { $0.isUnfinished || $0.state == .posted }
        switch repetition {
        case .again: return .begin
        case .resume, .resumeOrBegin:
            // A publication that began but left nothing on the server is resumed from its start.
            if let record = newest ?? known.first(where: { $0.state != .cancelled }) {
                return .goOn(record.number)
            }
            return repetition == .resume ? refuseResume() : .begin
        case .refuse:
            guard let newest else { return .begin }
            return newest.isUnfinished ? refuseUnfinished(newest) : refusePosted(newest)
        }
    }

    private func refuseResume() -> Choice {
        let changed = similar.first { record in
            record.isUnfinished && record.items.map(\.name) == new.items.map(\.name)
                && DestinationIdentity.of(record.destination) == DestinationIdentity.of(new.destination)
        }
        if let changed, let refusal = refuseChanged(changed) { return refusal }
        return refuse(
            .nothingToResume,
            "there is nothing to resume: the journal has no unfinished publication of this post to \(new.destination); "
                + "publish it without --resume"
        )
    }

    private func refuseChanged(_ record: PublicationRecord) -> Choice? {
        let changed = zip(record.items, new.items).filter { $0.origin != $1.origin }.map(\.1.name)
        guard !changed.isEmpty else { return nil }
        return refuse(
            .sourceChanged,
            "\(changed.joined(separator: ", ")) changed since the publication began; nothing was posted. Publish it again with --again, or restore "
                + "the old file"
        )
    }

    private func refuseUnfinished(_ record: PublicationRecord) -> Choice {
        let what =
            record.state == .posting
            ? "may already be published" : "was interrupted"
        return refuse(
            .publishUnfinished,
            "this post to \(record.destination) \(what); resume it with --resume, or start over with --again"
        )
    }

    private func refusePosted(_ record: PublicationRecord) -> Choice {
        let place = record.result?.url.map { " as \($0)" } ?? ""
        return refuse(
            .alreadyPublished,
            "this post was already published at \(record.destination)\(place); to publish it again, add --again"
        )
    }

    private func refuse(_ code: ErrorCode, _ message: String) -> Choice {
        .refuse(CalotypeError(code, message, stage: .request))
    }
}

/// A publication to be written to the journal.
struct NewPublication: Sendable {
    /// The publication's own key.
    let id = UUID().uuidString.lowercased()
    let identity: PostIdentity
    let destination: String
    let note: String?
    let text: String
    let items: [(name: String, origin: String)]
}
