internal import CalotypeCore
internal import CalotypeHTTP

/// One attempt at bringing a medium to a site.
struct WordPressUploadAttempt {
    let medium: PreparedMedium
    let session: UploadSession
    let calls: WordPressCalls

    private static let mostFailures = 3

    func run(_ record: WordPressUpload, isFirst: Bool) async throws -> UploadedMedium {
        var record = record
        var stored = try await isFirst ? nil : found(&record)
        if stored == nil {
            try await session.remember(record)
            stored = try await send(&record)
        }
        if record.isUnprocessed { stored = try await process(&record) }
        guard let stored else { throw lost() }
        return try await describe(stored)
    }

    /// The medium that an earlier attempt brought.
    private func found(_ record: inout WordPressUpload) async throws -> WordPressMedium? {
        guard let stored = try await calls.medium(record) else {
            record.id = nil
            record.isUnprocessed = false
            return nil
        }
        session.acknowledge(medium.file.size)
        // An interrupted server has the file, but not the smaller pictures that the site shows.
        record.isUnprocessed = stored.missingSizes?.isEmpty == false
        try await remember(stored.id, in: &record)
        return stored
    }

    /// Sends the file; `nil` where the site has it and is not done with it.
    private func send(_ record: inout WordPressUpload) async throws -> WordPressMedium? {
        let answer = try await deliver(&record)
        let id = answer.headers["X-WP-Upload-Attachment-ID"].flatMap { Int($0) }
        if let id, answer.status >= 500 || Self.isBroken(answer) {
            session.acknowledge(medium.file.size)
            record.isUnprocessed = true
            try await remember(id, in: &record)
            return nil
        }
        guard answer.isSuccess else { throw try await refusal(answer, &record) }
        session.acknowledge(medium.file.size)
        let stored = try await onlyOne(try answer.json(WordPressMedium.self), record.slug)
        try await remember(stored.id, in: &record)
        return stored
    }

    /// What an answer means that is no success: a site that fails over the file again and again will go on to.
    private func refusal(
        _ answer: PublishAnswer,
        _ record: inout WordPressUpload
    ) async throws -> PublishError {
        let failure = answer.wordPressFailure("send \(medium.name)")
        guard answer.status == 500, failure.remedy == .retry else { return failure }
        record.failures += 1
        try await session.remember(record)
        guard record.failures >= Self.mostFailures else { return failure }
        var error = failure.error
        error.message += "; this is how a site fails whose PHP has less memory than the file has bytes"
        return PublishError(error, .none)
    }

    private func deliver(_ record: inout WordPressUpload) async throws -> PublishAnswer {
        var request = try calls.mediumRequest(medium, slug: record.slug)
        request.body = try medium.file.body()
        let progress = session.progress()
        request.progress = progress
        do {
            return try await calls.sendHere(request)
        } catch {
            if progress.sent >= medium.file.size {
                record.sentAt = session.client.time.secondsSince1970
                // The error that led here says more than that the journal cannot be written.
                try? await session.remember(record)
            }
            throw error
        }
    }

    /// Whether PHP ended in the middle of an answer that had begun with success.
    private static func isBroken(_ answer: PublishAnswer) -> Bool {
        answer.isSuccess && (try? answer.json(WordPressMedium.self)) == nil
    }

    /// Keeps the first of two media, where the request of an earlier attempt was carried out after it had been given up.
    private func onlyOne(_ stored: WordPressMedium, _ slug: String) async throws -> WordPressMedium {
        guard stored.slug != slug, let first = try await calls.medium(named: slug), first.id != stored.id
        else {
            return stored
        }
        try await calls.remove("media/\(stored.id)", "remove the second copy of \(medium.name)")
        return first
    }

    /// Sets the alt text.
    private func describe(_ stored: WordPressMedium) async throws -> UploadedMedium {
        guard let altText = medium.altText, !altText.isEmpty else { return stored.uploaded }
        let answer = try await calls.post(
            "wp/v2/media/\(stored.id)?\(WordPressMedium.fields)",
            ["alt_text": altText]
        )
        guard answer.isSuccess else { throw failure(answer) }
        return stored.uploaded
    }

    func remember(_ id: Int, in record: inout WordPressUpload) async throws {
        record.id = id
        try await session.remember(record)
    }

    func failure(_ answer: PublishAnswer) -> PublishError {
        answer.status == 404 ? lost() : answer.wordPressFailure("finish \(medium.name)")
    }

    func lost() -> PublishError {
        let message = "the site does not have \(medium.name) any more"
        return PublishError(
            CalotypeError(.http(status: 404), message, stage: .response, url: calls.destination.site.text),
            .startOver
        )
    }
}

extension WordPressUploadAttempt {
    /// What Gutenberg, WordPress's own editor, grants a picture too.
    private static let mostProcessings = 5

    /// Lets the site make its smaller pictures; one that cannot does not keep the file.
    func process(_ record: inout WordPressUpload) async throws -> WordPressMedium {
        guard let id = record.id else { throw lost() }
        session.beginProcessing()
        while record.processings < Self.mostProcessings {
            if record.processings > 0 { try await session.sleep(for: .seconds(1 << record.processings)) }
            record.processings += 1
            try await session.remember(record)
            let call = "wp/v2/media/\(id)/post-process?\(WordPressMedium.fields)"
            let answer = try await calls.post(call, ["action": "create-image-subsizes"])
            if answer.isSuccess { return try answer.json(WordPressMedium.self) }
            guard answer.status >= 500 else { throw failure(answer) }
        }
        try await calls.remove("media/\(id)", "remove \(medium.name), which the site cannot use")
        throw unusable()
    }

    private func unusable() -> PublishError {
        let error = CalotypeError(
            .processingFailed,
            "the site failed \(Self.mostProcessings) times to make its smaller pictures of \(medium.name), which was removed "
                + "there again; make the picture smaller, or give PHP more memory",
            stage: .response,
            url: calls.destination.site.text
        )
        return PublishError(error, .none)
    }
}

/// What an upload remembers from one attempt to the next.
struct WordPressUpload: Codable {
    let root: WordPressRoot
    /// The name by which the medium is found again; no other has it.
    let slug: String
    /// The number that the site gave the medium, once it has it.
    var id: Int?
    /// When all bytes had left and no answer came, in seconds since 1970: the site may still be storing them.
    var sentAt: Int?
    /// How often the site failed over all bytes of the file.
    var failures = 0
    /// How often the site was asked to make its smaller pictures, after it failed to.
    var processings = 0
    /// Whether these are still missing.
    var isUnprocessed = false

    init(root: WordPressRoot, key: String) {
        self.root = root
        slug = "m-\(key.lowercased())"
    }

    /// Whether a slug is one of ours, and not one that the site made of a title.
    static func isSlug(_ text: String) -> Bool {
        text.hasPrefix("m-") && text.utf8.count > 32
    }
}
