internal import CalotypeCore

/// What the journal knows of a post that is to be published, and what follows from it.
struct KnownPublications {
    /// What to do.
    enum Choice: Sendable {
        /// Begin a new publication.
        case begin
        /// Go on with the one of this number.
        case goOn(Int64)
        /// Do nothing.
        case refuse(CalotypeError)
    }

    private let known: [PublicationRecord]
    private let new: NewPublication

    /// - Parameters:
    ///   - known: The publications of the same fingerprint to the same destination, the newest first.
    ///   - new: The one that would begin.
    init(_ known: [PublicationRecord], _ new: NewPublication) {
        self.known = known
        self.new = new
    }

    func choice(_ repetition: Repetition) -> Choice {
        // The newest counts: what was published after it makes an unfinished one void.
        let newest = known.first { $0.isUnfinished || $0.state == .posted && hasSameMedia($0) }
        let unfinished = newest.flatMap { $0.isUnfinished ? $0 : nil }
        let posted = newest.flatMap { $0.isUnfinished ? nil : $0 }
        switch repetition {
        case .again: return .begin
        case .resume:
            if let unfinished {
                return hasSameMedia(unfinished) ? .goOn(unfinished.number) : refuseChanged(unfinished)
            }
            return posted.map { .goOn($0.number) } ?? .begin
        case .refuse:
            if let unfinished { return refuseUnfinished(unfinished) }
            return posted.map(refusePosted) ?? .begin
        }
    }

    private func hasSameMedia(_ record: PublicationRecord) -> Bool {
        record.items.map(\.origin) == new.items.map(\.origin)
    }

    private func refuseChanged(_ record: PublicationRecord) -> Choice {
        let changed = zip(record.items, new.items).filter { $0.origin != $1.origin }.map(\.1.name)
        return refuse(
            .sourceChanged,
            "\(changed.joined(separator: ", ")) changed since the publication began; nothing was posted. Publish it anew, or put "
                + "the old file back"
        )
    }

    private func refuseUnfinished(_ record: PublicationRecord) -> Choice {
        let what =
            record.state == .posting
            ? "it is not known whether it is published" : "it did not come to its end"
        return refuse(
            .publishUnfinished,
            "the same post was begun for \(record.destination), and \(what); resume it, or publish it anew"
        )
    }

    private func refusePosted(_ record: PublicationRecord) -> Choice {
        let place = record.result?.url.map { " as \($0)" } ?? ""
        return refuse(
            .alreadyPublished,
            "the same post was published at \(record.destination) before\(place); say so if it is to be published again"
        )
    }

    private func refuse(_ code: ErrorCode, _ message: String) -> Choice {
        .refuse(CalotypeError(code, message, stage: .request))
    }
}
