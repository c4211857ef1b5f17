internal import CalotypeCore

/// How a publication has ended, for people and for programs.
package struct PublishEnding: Sendable {
    /// What a person may type next, as text for a shell.
    package struct Commands: Sendable {
        /// Goes on where this one came to.
        let resume: String
        /// Publishes the same once more.
        let again: String
        /// Removes what is left.
        let collect: String
        /// Says what became of a post; the key and the finding are to follow.
        let settle: String

        package init(resume: String, again: String, collect: String, settle: String) {
            self.resume = resume
            self.again = again
            self.collect = collect
            self.settle = settle
        }
    }

    /// The published post, or what was thrown; cancellation is `CancellationError`.
    let result: Result<PublishedPost, any Error>
    /// The last state.
    let state: PublishState
    /// What the journal has of it, where it came so far.
    let record: PublicationRecord?
    /// The server's name.
    let destination: String
    let commands: Commands

    package init(
        _ result: Result<PublishedPost, any Error>,
        _ state: PublishState,
        _ record: PublicationRecord?,
        at destination: String,
        _ commands: Commands
    ) {
        self.result = result
        self.state = state
        self.record = record
        self.destination = destination
        self.commands = commands
    }

    /// 0 for a published post, 130 after an interruption, 1 where a resume may go on, 3 where nothing was done, 4 for a post that is
    /// published and could not be written down.
    package var exitCode: Int32 {
        switch result {
        case .success: 0
        case .failure(is CancellationError): 130
        case .failure where isUnrecorded: 4
        case .failure: canResume ? 1 : 3
        }
    }

    /// What a person reads, a sentence or more on a line each; where the post is seen is not among it.
    ///
    /// Lines that begin with blanks are to be typed, or belong to the line above.
    package func lines(after time: Duration) -> [String] {
        switch result {
        case .success(let post): success(post, time)
        case .failure(is CancellationError): cancellation
        case .failure(let error): failure(error)
        }
    }

    private var code: ErrorCode? {
        if case .failure(let error) = result { (error as? CalotypeError)?.code } else { nil }
    }

    /// Whether the post is published, and only the journal does not know it.
    private var isUnrecorded: Bool { code == .publishedNotRecorded }

    /// Where the post can be seen, if it is published and that was told.
    package var url: String? {
        switch result {
        case .success(let post): post.url
        case .failure(let error): isUnrecorded ? (error as? CalotypeError)?.url : nil
        }
    }

    private var canResume: Bool {
        switch code {
        case .publishUnfinished, .outcomeUnknown, .publishBusy: true
        // A resume was refused: it could go on with the old file.
        case .sourceChanged where record == nil: true
        default: record?.isUnfinished ?? false
        }
    }

    private var amount: String {
        guard !state.items.isEmpty else { return "" }
        return ": \(state.items.count) \(state.items.count == 1 ? "medium" : "media"), \(state.total)"
    }

    private func success(_ post: PublishedPost, _ time: Duration) -> [String] {
        let silence = post.url == nil ? ["The server did not tell where it can be seen."] : []
        // What was published by an earlier run has no media that became ready in this one.
        guard state.items.allSatisfy({ $0.stage == .ready }) else {
            return ["published at \(destination) before; nothing was sent"] + silence
        }
        return ["published at \(destination)\(amount), in \(Self.text(time))"] + wiping + silence
    }

    private var wiping: [String] {
        let count = state.items.count { $0.losesLocation }
        guard count > 0 else { return [] }
        let photos = count == 1 ? "1 photo was" : "\(count) photos were"
        return ["\(photos) sent without the GPS position; --keep-metadata keeps it"]
    }

    private static func text(_ time: Duration) -> String {
        let tenths = Int(time / .milliseconds(100))
        return tenths < 600 ? "\(tenths / 10).\(tenths % 10) s" : "\(tenths / 600) min \(tenths % 600 / 10) s"
    }

    private var cancellation: [String] {
        guard let record else { return ["nothing was published"] }
        switch record.state {
        case .posting:
            let what = "the post was being sent, and may be published. To find out:"
            return toType(what, commands.resume)
        case .cancelled where record.hasLeftovers:
            // What was cut may be there or not, and was not looked for after a pause.
            let isSure = record.items.contains { $0.uploaded != nil }
            let what = isSure ? "are still at the server" : "may still be at the server"
            return toType("nothing was published; some media \(what). To remove them:", commands.collect)
        case .cancelled where record.problem.map { $0 != PublicationRecord.cancelled } ?? false:
            return ["nothing was published; \(record.problem ?? "")"]
        default: return ["nothing was published, and nothing is left at the server"]
        }
    }

    private func failure(_ error: any Error) -> [String] {
        if isUnrecorded { return ["\(error)"] + recording }
        let failed = state.items.filter { $0.stage == .failed }
        let isNamed = failed.count != 1 || "\(error)".contains(failed[0].name)
        let name = isNamed ? "" : "\(failed[0].name): "
        let others = failed.count < 2 ? [] : failed.map { "  \($0.name): \($0.problem ?? "failed")" }
        return ["not published: \(name)\(error)"] + others + advice
    }

    private var advice: [String] {
        switch code {
        case .publishBusy: return []
        case .alreadyPublished: return toType("To publish it once more:", commands.again)
        case .nothingToResume: return ["To publish it, leave --resume out."]
        case .publishUnfinished:
            return toType("To go on with it:", commands.resume) + toType("Or anew:", commands.again)
        case .outcomeUnknown:
            return toType("To find out:", commands.resume) + settling
        case .sourceChanged where canResume: return toType("To publish what is there now:", commands.again)
        default:
            guard canResume, let record else { return [] }
            let isUp = record.items.contains { $0.uploaded != nil }
            return toType(
                isUp ? "\(record.share) media are at the server. To go on:" : "To go on:",
                commands.resume
            )
        }
    }

    /// How the journal can be told of the post, so that it is not sent again.
    private var recording: [String] {
        guard let record else { return [] }
        let place = url.map { " \(ShellWord.quoted($0))" } ?? ""
        return toType(
            "Make room on the disk, and then write it down:",
            "\(commands.settle) \(record.shortID) --published\(place)"
        )
    }

    private var settling: [String] {
        guard let record else { return toType("If it is not there:", commands.again) }
        let command = "  \(commands.settle) \(record.shortID)"
        return [
            "Or look at the server, and tell what is there:", "\(command) --published",
            "\(command) --not-published",
        ]
    }

    private func toType(_ text: String, _ command: String) -> [String] {
        [text, "  \(command)"]
    }

    // MARK: JSON

    /// The end as a JSON object on one line.
    ///
    /// ```json
    /// {"result": "published", "destination": "…", "id": "…", "url": "…", "media": [{"name": "…", "id": "…", "url": "…"}]}
    /// {"result": "failed", "destination": "…", "code": "http_422", "message": "…", "ready": 2, "total": 5, "resume": "…",
    ///  "media": [{"name": "…", "problem": "…"}]}
    /// ```
    ///
    /// `result` is `published`, `failed` or `interrupted`; `resume` is what to type, where that helps. A post that is published and could not
    /// be written down is `published`, with a `code` and a `message`.
    package var json: String {
        var wire = Wire(result: "failed", destination: destination)
        switch result {
        case .success(let post):
            (wire.result, wire.id, wire.url) = ("published", post.id, post.url)
            wire.media = zip(names, post.media).map { .init(name: $0, id: $1.id, url: $1.url) }
        case .failure(let error):
            wire.result = error is CancellationError ? "interrupted" : isUnrecorded ? "published" : "failed"
            wire.url = url
            wire.code = code?.rawValue
            wire.message = (error as? CalotypeError)?.message
            (wire.ready, wire.total) = (state.ready, state.items.count)
            wire.resume =
                !isUnrecorded && (canResume || record?.state == .posting) ? commands.resume : nil
            wire.media = state.items.map { .init(name: $0.name, problem: $0.problem) }
        }
        return JSONLine.text(wire)
    }

    private var names: [String] {
        state.items.isEmpty ? record?.items.map(\.name) ?? [] : state.items.map(\.name)
    }
}

/// An end as JSON; what there is not is left out.
private struct Wire: Encodable {
    struct Medium: Encodable {
        let name: String
        var id: String?
        var url: String?
        var problem: String?
    }

    var result: String
    let destination: String
    var id: String?
    var url: String?
    var code: String?
    var message: String?
    var ready: Int?
    var total: Int?
    var resume: String?
    var media: [Medium] = []
}

/// Words of commands that are shown to be typed.
package enum ShellWord {
    /// `text` as a shell takes it for one word: in quotes where it has to be.
    package static func quoted(_ text: String) -> String {
        let isPlain = text.allSatisfy {
            $0.isASCII && ($0.isLetter || $0.isNumber || "/._-+:,@%=".contains($0))
        }
        if isPlain, !text.isEmpty { return text }
        return "'" + text.replacing("'", with: #"'\''"#) + "'"
    }
}
