internal import CalotypeCore

/// The outcome of a publication, for people and for programs.
package struct PublishEnding: Sendable {
    /// The commands that a user can enter next, as shell text.
    package struct Commands: Sendable {
        /// Publishes the post.
        let publish: String
        /// Resumes the publication.
        let resume: String
        /// Publishes the same post once more.
        let again: String
        /// Removes what is left on servers.
        let collect: String
        /// Records the outcome of a post; the caller appends the key and the finding.
        let settle: String

        package init(publish: String, resume: String, again: String, collect: String, settle: String) {
            self.publish = publish
            self.resume = resume
            self.again = again
            self.collect = collect
            self.settle = settle
        }
    }

    /// The published post, or the error; cancellation is `CancellationError`.
    let result: Result<PublishedPost, any Error>
    /// The last state.
    let state: PublishState
    /// The journal's record, if the publication got that far.
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

    /// The exit code after an interruption by SIGINT.
    package static let interruptedExitCode: Int32 = 130

    /// The exit code: 0 for a published post, and otherwise the kind of failure.
    ///
    /// 130 after an interruption, 1 if a resume may succeed, 3 if nothing was done, and 4 if the post is
    /// published but the journal could not record it.
    package var exitCode: Int32 {
        switch result {
        case .success: 0
        case .failure(is CancellationError): Self.interruptedExitCode
        case .failure where isUnrecorded: 4
        case .failure: canResume ? 1 : 3
        }
    }

    /// The text for people, in lines of one or more sentences; the post's URL is not included.
    ///
    /// Lines that begin with blanks are commands to enter, or continue the line above.
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

    /// Whether the post is published, but the journal does not show it.
    private var isUnrecorded: Bool { code == .publishedNotRecorded }

    /// The post's URL, if the post is published and the server reported one.
    package var url: String? {
        switch result {
        case .success(let post): post.url
        case .failure(let error): isUnrecorded ? (error as? CalotypeError)?.url : nil
        }
    }

    private var canResume: Bool {
        switch code {
        case .publishUnfinished, .outcomeUnknown, .publishBusy: true
        // The resume was refused, but would succeed with the old file.
        case .sourceChanged where record == nil: true
        default: record?.isUnfinished ?? false
        }
    }

    private var amount: String {
        guard !state.items.isEmpty else { return "" }
        return ": \(state.items.count) \(state.items.count == 1 ? "medium" : "media"), \(state.total)"
    }

    private func success(_ post: PublishedPost, _ time: Duration) -> [String] {
        let silence = post.url == nil ? ["The server did not return the post's URL."] : []
        // If an earlier run published the post, this run has no media that became ready.
        guard state.items.allSatisfy({ $0.stage == .ready }) else {
            return ["already published at \(destination); nothing was sent"] + silence
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
            let what = "interrupted while sending the post, which may be published. To find out:"
            return toType(what, commands.resume)
        case .cancelled where record.hasLeftovers:
            // An upload that was cut off may or may not be there; nothing looked for it after a pause.
            let isSure = record.items.contains { $0.uploaded != nil }
            let what = isSure ? "are still on the server" : "may still be on the server"
            return toType("nothing was published; some media \(what). To remove them:", commands.collect)
        case .cancelled where record.problem.map { $0 != PublicationRecord.cancelled } ?? false:
            return ["nothing was published; \(record.problem ?? "")"]
        default:
            let what = "nothing was published, and nothing is left on the server. To publish it:"
            return toType(what, commands.publish)
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
        case .alreadyPublished: return toType("To publish it again:", commands.again)
        case .nothingToResume: return ["To publish it, omit --resume."]
        case .publishUnfinished:
            return toType("To resume it:", commands.resume) + toType("To start over:", commands.again)
        case .outcomeUnknown:
            return toType("To find out:", commands.resume) + settling
        case .sourceChanged where canResume: return toType("To publish the changed files:", commands.again)
        default:
            guard canResume, let record else { return [] }
            let isUp = record.items.contains { $0.uploaded != nil }
            return toType(
                isUp ? "\(record.share) media are on the server. To resume:" : "To resume:",
                commands.resume
            )
        }
    }

    /// How to record the post in the journal, so that it is not sent again.
    private var recording: [String] {
        guard let record else { return [] }
        let place = url.map { " \(ShellWord.quoted($0))" } ?? ""
        return toType(
            "Free some disk space, then record the post:",
            "\(commands.settle) \(record.shortID) --published\(place)"
        )
    }

    private var settling: [String] {
        guard let record else { return toType("If it is not there:", commands.again) }
        let command = "  \(commands.settle) \(record.shortID)"
        return [
            "Or check the server yourself, and record what you found:", "\(command) --published",
            "\(command) --not-published",
        ]
    }

    private func toType(_ text: String, _ command: String) -> [String] {
        [text, "  \(command)"]
    }

    // MARK: JSON

    /// The outcome as a JSON object on one line.
    ///
    /// ```json
    /// {"result": "published", "destination": "…", "id": "…", "url": "…", "media": [{"name": "…", "id": "…", "url": "…"}]}
    /// {"result": "failed", "destination": "…", "code": "http_422", "message": "…", "ready": 2, "total": 5, "resume": "…",
    ///  "media": [{"name": "…", "problem": "…"}]}
    /// ```
    ///
    /// `result` is `published`, `failed` or `interrupted`; `resume` is the command to enter, if that helps. A
    /// post that is published but could not be recorded is `published`, with a `code` and a `message`.
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

/// The JSON form of an outcome; missing values are left out.
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

/// Words of commands that are shown for the user to enter.
package enum ShellWord {
    /// Returns `text` as one shell word, in quotes if it needs them.
    package static func quoted(_ text: String) -> String {
        let isPlain = text.allSatisfy {
            $0.isASCII && ($0.isLetter || $0.isNumber || "/._-+:,@%=".contains($0))
        }
        if isPlain, !text.isEmpty { return text }
        return "'" + text.replacing("'", with: #"'\''"#) + "'"
    }
}
