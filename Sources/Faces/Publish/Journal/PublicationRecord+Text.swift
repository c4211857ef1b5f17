internal import CalotypeHTTP

extension PublicationRecord {
    /// What became of it, a word or two.
    package var standing: String {
        switch state {
        case .posted: "published"
        case .posting: "not known"
        case .collecting, .failed: isUnfinished ? "unfinished" : "failed"
        case .cancelled: hasLeftovers ? "to be removed" : "cancelled"
        }
    }

    /// The beginning of its key, by which a person calls it.
    package var shortID: String { String(id.prefix(8)) }

    /// When it was begun, in UTC, to the minute.
    package var begun: String {
        String(created.internetText.prefix(16).map { $0 == "T" ? " " : $0 })
    }

    /// How many of its media are at the server, of how many.
    package var share: String {
        "\(items.count { $0.uploaded != nil }) of \(items.count)"
    }

    /// The publication as a JSON object on one line, for programs.
    package var json: String {
        let wire = Wire(
            id: id,
            created: created.internetText,
            state: state.rawValue,
            unfinished: isUnfinished,
            leftovers: hasLeftovers,
            destination: destination,
            file: PublishNote(note)?.file,
            text: text,
            problem: problem,
            url: result?.url,
            media: items.map { .init(name: $0.name, id: $0.uploaded?.id, url: $0.uploaded?.url) }
        )
        return JSONLine.text(wire)
    }
}

/// A publication as JSON.
private struct Wire: Encodable {
    struct Medium: Encodable {
        let name: String
        let id: String?
        let url: String?
    }

    let id: String
    let created: String
    let state: String
    let unfinished: Bool
    let leftovers: Bool
    let destination: String
    let file: String?
    let text: String
    let problem: String?
    let url: String?
    let media: [Medium]
}
